import type { ObjectRef } from '../../../workflows/activities.ts';
import { getKind, streamId } from '../../../workflows/kinds.ts';
import type { AnyFact } from '../../../workflows/ledger-event.ts';
import { faultPoint } from '../../adapters/process/fault-points.ts';
import { firstWithin } from '../../adapters/first-within.ts';
import type { Log } from '../../adapters/process/log.ts';
import { backoffMs, logFailures } from '../../adapters/waiting/retry.ts';
import type { Assignment, Assignments } from '../assignments/assignment.ts';
import {
  isNews,
  addRepeatedFacts,
  startsWorkflow,
  type Mailbox,
  type Pending,
} from '../mailboxes/mailbox.ts';
import { forgetIdleMailboxes, IDLE_MS } from '../assignments/idle.ts';
import { countCrowd } from '../assignments/crowded.ts';
import type { Notifier } from '../../adapters/waiting/notifier.ts';

export interface SignalOptions {
  recall: boolean;
  /** True when the signal also starts a workflow that is not running. */
  start: boolean;
  /** The number of the last decision that was read: a run without this decision recalls the ledger. */
  decided?: number | undefined;
}

/** Signals a Job's workflow. */
export type Signal = (job: ObjectRef, facts: AnyFact[], options: SignalOptions) => Promise<void>;

export interface SendDependencies {
  assignments: Assignments;
  /** The number of Jobs of a cluster that may wait for a decision before other facts are held back. */
  mostWaiting: number;
  signal: Signal;
  log: Log;
  now: () => number;
  /** Called when all signals of a mailbox were acknowledged, or when one of these signals failed. */
  onEnded: (mailbox: Mailbox) => void;
}

/** The time to wait for a change while facts are held back, in milliseconds. */
const HOLDING_MS = 500;

/** The limits of one signal. */
const LIMITS = { facts: 500, bytes: 256 * 1024 };

/**
 * Sends each mailbox when it is due, until `aborted`. The loop does not wait for signals, so a signal without an answer
 * does not delay other Jobs. The caller notifies `due` when mailboxes have changed.
 */
export async function keepSending(
  dependencies: SendDependencies,
  due: Notifier,
  aborted: AbortSignal,
): Promise<void> {
  while (!aborted.aborted) {
    void sendDueMailboxes(dependencies);
    const assignments = [...dependencies.assignments.values()];
    const nextAt = Math.min(
      ...assignments.flatMap(({ schedule, unfolded }) => [schedule.next(), unfolded.next()]),
    );
    // A crowd may also end because time has passed.
    const longest = assignments.some(({ schedule }) => schedule.isHolding()) ? HOLDING_MS : IDLE_MS;
    await due.next(Math.min(nextAt - dependencies.now(), longest));
  }
}

/**
 * Sends every due mailbox, concurrently, and forgets idle mailboxes. A mailbox whose signal fails stays due, and its
 * signal is repeated.
 */
export async function sendDueMailboxes(dependencies: SendDependencies): Promise<void> {
  const now = dependencies.now();
  const crowd = countCrowd(dependencies.assignments, dependencies.mostWaiting, now);
  const sending: Promise<void>[] = [];
  for (const assignment of dependencies.assignments.values()) {
    repeatUnfoldedFacts(assignment, now);
    for (const mailbox of assignment.schedule.take(now, crowd))
      sending.push(sendMailbox(dependencies, assignment, mailbox));
    forgetIdleMailboxes(assignment, now);
  }
  await Promise.all(sending);
}

/**
 * Adds the facts again that no decision names. A finished Job has no further decision to make, so its facts are left
 * out.
 */
function repeatUnfoldedFacts({ unfolded, mailboxes, schedule }: Assignment, now: number): void {
  for (const { stream, facts } of unfolded.take(now)) {
    const mailbox = mailboxes.get(stream);
    if (mailbox === undefined || mailbox.isFinished || mailbox.isDeleted) continue;
    addRepeatedFacts(mailbox, facts, now);
    schedule.add(mailbox);
  }
}

/** Signals the pending facts of a mailbox in batches, until no fact is news or a signal fails. */
async function sendMailbox(
  dependencies: SendDependencies,
  assignment: Assignment,
  mailbox: Mailbox,
): Promise<void> {
  const key = streamId(mailbox.job);
  mailbox.isSending = true;
  try {
    for (let batch = nextBatch(mailbox); batch.length > 0; batch = nextBatch(mailbox)) {
      // The new owner of the partition sends the remaining facts.
      if (assignment.isOver) return;
      const facts = batch.map(({ fact }) => fact);
      await dependencies.signal(mailbox.job, facts, {
        recall: mailbox.needsRecall,
        start: startsWorkflow(mailbox, batch),
        decided: mailbox.decided,
      });
      faultPoint('after-signal');
      noteSignalled(assignment, mailbox, batch, dependencies.now());
      mailbox.lastSentAt = dependencies.now();
      mailbox.failures = 0;
      // From now on, a new workflow of this Job must recall the earlier facts.
      mailbox.needsRecall = true;
      mailbox.pending.splice(0, batch.length);
      for (const { offset } of batch) assignment.position.finish(offset);
      mailbox.isDeleted ||= batch.some(({ fact }) => isDeletionOfObject(mailbox, fact));
    }
    mailbox.dueAt = null;
    if (mailbox.isDeleted) assignment.mailboxes.delete(key);
  } catch (error) {
    mailbox.failures += 1;
    mailbox.dueAt = dependencies.now() + backoffMs(mailbox.failures);
    logFailures(dependencies.log, 'a signal failed; trying again', { job: key })(error, mailbox.failures);
  } finally {
    mailbox.isSending = false;
    assignment.schedule.add(mailbox);
    dependencies.onEnded(mailbox);
  }
}

/** Counts a signalled Job as waiting for a decision; a new Job already counts until its first decision. */
function noteSignalled(
  { newJobs, signalled, unfolded }: Assignment,
  { job }: Mailbox,
  batch: readonly Pending[],
  now: number,
): void {
  if (!newJobs.has(job)) signalled.add(job, now);
  const first = batch.filter((each) => isNews(each) && each.isRepeated !== true);
  unfolded.add(streamId(job), first, now);
}

function isDeletionOfObject({ job }: Mailbox, fact: AnyFact): boolean {
  return fact.type.endsWith('.deleted') && getKind(job).objectIn(fact) === 'itself';
}

/** The oldest facts that fit into one signal; empty when no pending fact is news. */
function nextBatch({ pending }: Mailbox): Pending[] {
  if (!pending.some(isNews)) return [];
  const most = pending.slice(0, LIMITS.facts);
  return firstWithin(most, ({ fact }) => JSON.stringify(fact).length, LIMITS.bytes);
}
