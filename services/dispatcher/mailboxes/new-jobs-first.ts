import type { JobRef } from '../../../workflows/activities.ts';
import type { Mailbox } from './mailbox.ts';

/** The number of Jobs that the worker of each cluster can still take. */
export interface Crowd {
  /**
   * More Jobs of the cluster wait for a decision than its worker handles in a moment, and more of this Job's namespace than its share
   * of them.
   */
  isCrowded(job: Pick<JobRef, 'cluster' | 'namespace'>): boolean;
  /** This Job waits now for its decision. */
  join(job: JobRef): void;
}

/** The longest extra wait of facts that are not urgent while their cluster is crowded, in milliseconds. */
const HELD_MS = 20_000;

/**
 * The time to send the pending facts, in milliseconds; Infinity when no fact is due. In a crowded namespace, new Jobs
 * get their first pods before other Jobs' pods are counted: Temporal's worker prefers the tasks of workflows that it
 * knows. Facts that wait here are sent together, whereas workflow tasks that wait in Temporal time out.
 */
export function sendAt(mailbox: Mailbox, crowd: Crowd): number {
  if (mailbox.dueAt === null) return Infinity;
  return isHeld(mailbox, crowd) ? mailbox.dueAt + HELD_MS : mailbox.dueAt;
}

/** True when the pending facts wait for other Jobs of their namespace. */
export function isHeld(mailbox: Mailbox, { isCrowded }: Pick<Crowd, 'isCrowded'>): boolean {
  return !mailbox.isSending && isCrowded(mailbox.job) && !isSentAtOnce(mailbox);
}

/** True for urgent facts, and for repeated signals. */
function isSentAtOnce({ pending, failures }: Mailbox): boolean {
  return failures > 0 || pending.some(({ urgency }) => urgency === 'now');
}
