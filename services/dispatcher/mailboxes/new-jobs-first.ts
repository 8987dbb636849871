import type { Mailbox } from './mailbox.ts';

/** The longest extra wait of facts that are not urgent while their cluster is crowded, in milliseconds. */
const HELD_MS = 20_000;

/**
 * When to send the pending facts, in milliseconds; Infinity: nothing is due. In a crowded cluster, new Jobs get their
 * first pods before other Jobs' pods are counted: Temporal's worker prefers the tasks of workflows that it knows.
 */
export function sendAt(mailbox: Mailbox, isCrowded: (cluster: string) => boolean): number {
  if (mailbox.dueAt === null) return Infinity;
  return isHeld(mailbox, isCrowded) ? mailbox.dueAt + HELD_MS : mailbox.dueAt;
}

/** Whether the pending facts wait for new Jobs of their cluster. */
export function isHeld(mailbox: Mailbox, isCrowded: (cluster: string) => boolean): boolean {
  return !mailbox.isSending && isCrowded(mailbox.job.cluster) && !isSentAtOnce(mailbox);
}

/** True for urgent facts, and for repeated signals. */
function isSentAtOnce({ pending, failures }: Mailbox): boolean {
  return failures > 0 || pending.some(({ urgency }) => urgency === 'now');
}
