import type { Assignment } from '../assignments/assignment.ts';
import { isNews, addFact, recordOwnWrite, type Mailbox, type Pending } from './mailbox.ts';

interface Delivery {
  now: () => number;
  periodMs: number;
}

/** Adds a fact to a mailbox. The position waits for the fact if the fact is news. */
export function deliverFact(
  { now, periodMs }: Delivery,
  { position, schedule }: Assignment,
  mailbox: Mailbox,
  fact: Omit<Pending, 'urgency'>,
): void {
  addFact(mailbox, fact, now(), periodMs);
  schedule.add(mailbox);
  const posted = mailbox.pending.at(-1);
  if (posted !== undefined && isNews(posted)) position.begin(fact.offset, fact.length);
}

/** Records the version that our own status write produced, so that an observation of this version is not news. */
export function deliverOutcome(
  { now, periodMs }: Delivery,
  { mailboxes, position }: Assignment,
  key: string,
  resourceVersion: string,
): void {
  const mailbox = mailboxes.get(key);
  if (mailbox === undefined) return;
  recordOwnWrite(mailbox, resourceVersion, now(), periodMs);
  for (const each of mailbox.pending) if (!isNews(each)) position.finish(each.offset);
}
