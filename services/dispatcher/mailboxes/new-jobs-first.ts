import type { Mailbox } from './mailbox.ts';

/** How much longer, in milliseconds, what is not urgent waits at most while its cluster is crowded. */
const HELD_MS = 20_000;

/**
 * When to send what is pending, in milliseconds; Infinity: nothing is due. In a crowded cluster the first pods of new Jobs come
 * before the counts of others: Temporal's worker takes the tasks of workflows that it knows before those of new ones.
 */
export function sendAt(mailbox: Mailbox, isCrowded: (cluster: string) => boolean): number {
  if (mailbox.dueAt === null) return Infinity;
  return isHeld(mailbox, isCrowded) ? mailbox.dueAt + HELD_MS : mailbox.dueAt;
}

/** Whether what is pending waits for new Jobs of its cluster. */
export function isHeld(mailbox: Mailbox, isCrowded: (cluster: string) => boolean): boolean {
  return !mailbox.isSending && isCrowded(mailbox.job.cluster) && !isSentAtOnce(mailbox);
}

/** True for what is urgent, and for what is sent again. */
function isSentAtOnce({ pending, failures }: Mailbox): boolean {
  return failures > 0 || pending.some(({ urgency }) => urgency === 'now');
}
