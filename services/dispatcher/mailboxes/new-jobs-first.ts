import type { ObjectRef } from '../../../workflows/activities.ts';
import type { Mailbox } from './mailbox.ts';

/** The Jobs that wait for a decision, compared with the number that the worker of each cluster can handle. */
export interface Crowd {
  /**
   * True when more Jobs of the cluster wait for a decision than its worker handles in a moment, and the namespace of
   * this Job exceeds its share.
   */
  isCrowded(job: Pick<ObjectRef, 'cluster' | 'namespace'>): boolean;
  /** Counts this Job as waiting for a decision. */
  join(job: ObjectRef): void;
}

/** The longest extra wait of facts that are not urgent while their cluster is crowded, in milliseconds. */
const HELD_MS = 20_000;

/**
 * The time to send the pending facts, in milliseconds; Infinity when no fact is due. In a crowded namespace, new Jobs
 * get their first pods before other Jobs' pods are counted: Temporal's worker prefers the tasks of workflows that it
 * knows. Facts that wait in the dispatcher are sent together, whereas workflow tasks that wait in Temporal time out.
 */
export function sendTime(mailbox: Mailbox, crowd: Crowd): number {
  if (mailbox.dueAt === null) return Infinity;
  return isHeld(mailbox, crowd) ? mailbox.dueAt + HELD_MS : mailbox.dueAt;
}

/** True when the pending facts wait for other Jobs of their namespace. */
export function isHeld(mailbox: Mailbox, { isCrowded }: Pick<Crowd, 'isCrowded'>): boolean {
  return !mailbox.isSending && isCrowded(mailbox.job) && !isSentAtOnce(mailbox);
}

/** True when the mailbox has an urgent fact, or when its last signal failed. */
function isSentAtOnce({ pending, failures }: Mailbox): boolean {
  return failures > 0 || pending.some(({ urgency }) => urgency === 'now');
}
