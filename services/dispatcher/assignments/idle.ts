import type { Assignment } from './assignment.ts';
import type { Mailbox } from '../mailboxes/mailbox.ts';

/** The time without new facts after which a mailbox is forgotten, in milliseconds. */
export const IDLE_MS = 60_000;

/** Records that a mailbox has received a fact. Mailboxes are kept in the order of their last use. */
export function noteUse({ mailboxes }: Assignment, key: string, mailbox: Mailbox, now: number): void {
  mailbox.usedAt = now;
  mailboxes.delete(key);
  mailboxes.set(key, mailbox);
}

/**
 * Forgets the idle mailboxes. The next fact of such a Job may be sent sooner than necessary, and a run that this fact
 * starts recalls the ledger.
 */
export function forgetIdleMailboxes(assignment: Assignment, now: number): void {
  const { mailboxes, jobs } = assignment;
  for (const [key, mailbox] of mailboxes) {
    if (now - mailbox.usedAt < IDLE_MS) return;
    if (mailbox.dueAt !== null || mailbox.isSending) noteUse(assignment, key, mailbox, now);
    else {
      mailboxes.delete(key);
      const known = jobs.get(key);
      if (known !== undefined) known.wasThere = true;
    }
  }
}
