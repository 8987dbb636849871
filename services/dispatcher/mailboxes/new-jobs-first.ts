import type { JobRef } from '../../../workflows/activities.ts';
import type { Mailbox } from './mailbox.ts';

/** What the worker of each cluster can still take. */
export interface Crowd {
  /**
   * More Jobs of the cluster wait for a decision than its worker handles in a moment, and more of this Job's namespace than its share
   * of them.
   */
  isCrowded(job: Pick<JobRef, 'cluster' | 'namespace'>): boolean;
  /** This Job waits now. */
  join(job: JobRef): void;
}

/** The longest extra wait of facts that are not urgent while their cluster is crowded, in milliseconds. */
const HELD_MS = 20_000;

/**
 * When to send the pending facts, in milliseconds; Infinity: nothing is due. In a crowded namespace, new Jobs get their
 * first pods before other Jobs' pods are counted: Temporal's worker prefers the tasks of workflows that it knows. And facts
 * that wait here are sent together; workflow tasks that wait in Temporal time out.
 */
export function sendAt(mailbox: Mailbox, crowd: Crowd): number {
  if (mailbox.dueAt === null) return Infinity;
  return isHeld(mailbox, crowd) ? mailbox.dueAt + HELD_MS : mailbox.dueAt;
}

/** Whether the pending facts wait for other Jobs of their namespace. */
export function isHeld(mailbox: Mailbox, { isCrowded }: Pick<Crowd, 'isCrowded'>): boolean {
  return !mailbox.isSending && isCrowded(mailbox.job) && !isSentAtOnce(mailbox);
}

/** True for urgent facts, and for repeated signals. */
function isSentAtOnce({ pending, failures }: Mailbox): boolean {
  return failures > 0 || pending.some(({ urgency }) => urgency === 'now');
}
