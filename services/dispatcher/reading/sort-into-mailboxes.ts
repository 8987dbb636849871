import type { ObjectRef } from '../../../workflows/activities.ts';
import {
  isFact,
  needsRun,
  type Arrival,
  type Kind,
  type KindName,
  type StreamEvent,
} from '../../../workflows/kind.ts';
import { kindOfEvent, streamObject, streamId } from '../../../workflows/kinds.ts';
import type { AnyFact, LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { Settings } from '../../../workflows/job/settings.ts';
import { readEvent, REQUESTS_SOURCE } from '../../adapters/events/event-codec.ts';
import { errorMessage } from '../../adapters/errors.ts';
import type { Batch } from '../../adapters/kafka/subscription.ts';
import type { DeadLetter } from '../../consumers/dead-letters.ts';
import {
  forgetDeletedJobs,
  type Assignment,
  type Assignments,
  type KnownJob,
} from '../assignments/assignment.ts';
import { noteUse } from '../assignments/idle.ts';
import {
  addFact,
  isNews,
  openMailbox,
  recordOwnWrite,
  type Mailbox,
  type Pending,
} from '../mailboxes/mailbox.ts';

export interface Dispatch {
  assignments: Assignments;
  settings: Settings;
  /** The kinds of objects that this installation controls. */
  kinds: readonly KindName[];
  countRead: (events: readonly LedgerEvent[]) => void;
  now: () => number;
  periodMs: number;
}

/**
 * Sorts a batch of the ledger into the mailboxes of our Jobs and CronJobs, for all clusters. Skips unreadable records,
 * which the projector reports. Returns the records that cannot be sorted in because of a bug of this program; each of
 * these records stops at most its own Job. @throws NewerRecordError at a record that this version cannot read, after
 * the earlier records were sorted in.
 */
export function sortIntoMailboxes(
  dispatch: Dispatch,
  assignment: Assignment,
  { records }: Pick<Batch, 'records'>,
): DeadLetter[] {
  const unsorted: DeadLetter[] = [];
  for (const record of records) {
    const event = readEvent(record);
    const { offset } = record;
    if (event !== null) {
      dispatch.countRead([event]);
      const kind = kindOfEvent(event);
      try {
        if (kind !== undefined && dispatch.kinds.includes(kind.name))
          dispatchEvent(dispatch, assignment, { kind, event, offset, length: record.value?.length ?? 0 });
      } catch (error) {
        unsorted.push({ record, reason: `the record cannot be dispatched: ${errorMessage(error)}` });
      }
    }
    assignment.position.read(offset + 1n);
  }
  forgetDeletedJobs(assignment);
  return unsorted;
}

type Answer = Extract<StreamEvent, { type: 'outcome.recorded' }>['data']['outcome'];

/** An event of the ledger, with the kind of its object and its place in the ledger. */
interface Read {
  kind: Kind;
  event: StreamEvent;
  offset: bigint;
  /** The size of the record, in bytes. */
  length: number;
}

/** Updates the assignment with an event, and adds the fact of the event to the mailbox of its Job. */
function dispatchEvent(dispatch: Dispatch, assignment: Assignment, read: Read): void {
  const { kind, event, offset, length } = read;
  const job = streamObject(kind, event);
  if (event.type === 'outcome.recorded') {
    const { outcome } = event.data;
    addUnseenPods(dispatch, assignment, { job, outcome, offset });
    const version = writtenVersion(outcome);
    if (version !== null) deliverOutcome(dispatch, assignment, streamId(job), version);
    return;
  }
  if (event.type === `${kind.prefix}.decided`) {
    endWait(assignment, job);
    if ('number' in event.data) noteDecision(assignment, job, event.data.number);
  }
  if ('folded' in event.data) {
    const ids = event.data.folded.map(({ id }) => id);
    assignment.unfolded.remove(streamId(job), ids);
  }
  const fact = compactFact(read);
  if (fact === null) return;
  if (isDeletionOfObject(kind, fact)) endWait(assignment, job);
  removeSeenPod(assignment, kind, fact);
  const mailbox = mailboxFor(dispatch, assignment, read, { job, fact });
  if (mailbox !== null) deliverFact(dispatch, assignment, mailbox, { fact, offset, length });
}

/** Records that a Job does not wait for a decision. */
function endWait({ newJobs, signalled }: Assignment, job: ObjectRef): void {
  newJobs.remove(job);
  signalled.remove(job);
}

/** Records the number of the last decision about an object, also in its mailbox, which outlives the object. */
function noteDecision({ jobs, mailboxes }: Assignment, job: ObjectRef, number: number): void {
  const key = streamId(job);
  for (const each of [jobs.get(key), mailboxes.get(key)]) if (each !== undefined) each.decided = number;
}

/**
 * Adds the created pods that are not observed yet to the unseen pods. Pods that were observed before the outcome of
 * their creation are already in the mailbox.
 */
function addUnseenPods(
  { now }: Dispatch,
  { unseen, mailboxes, jobs }: Assignment,
  { job, outcome, offset }: { job: ObjectRef; outcome: Answer; offset: bigint },
): void {
  const key = streamId(job);
  const known = jobs.get(key);
  if (known === undefined || outcome.kind !== 'CreatePods') return;
  const created = outcome.pods.flatMap((each) => (each.result === 'created' ? [each.uid] : []));
  const previous = mailboxes.get(key)?.previous;
  const uids = created.filter((uid) => previous?.has(uid) !== true);
  if (uids.length > 0) unseen.add({ job: known.ref, offset, uids: new Set(uids) }, now());
}

/**
 * Removes an observed pod from the unseen pods. The deletion of a pod also counts as an observation, because the
 * deletion shows that the pod existed.
 */
function removeSeenPod({ unseen }: Assignment, kind: Kind, fact: AnyFact): void {
  const object = kind.objectIn(fact);
  if (object !== null && object !== 'itself') unseen.seen(object.uid);
}

/** The resourceVersion that our own status write produced; null for any other outcome. */
function writtenVersion(outcome: Answer): string | null {
  if (outcome.kind !== 'WriteStatus' || outcome.result !== 'written') return null;
  return ('job' in outcome ? outcome.job : outcome.cronJob).resourceVersion;
}

/**
 * The fact of an event that a workflow needs; null for events that the workflow has already folded. Such events are the
 * decisions of the workflow, their outcomes, and the user requests that were signalled to the workflow directly.
 */
function compactFact({ kind, event }: Read): AnyFact | null {
  if (event.type === 'request.received' && event.source !== REQUESTS_SOURCE) return null;
  const compacted = kind.core.compact(event);
  return compacted !== null && isFact(compacted) ? compacted : null;
}

/** The mailbox for an event; null when the event concerns no object of ours. */
function mailboxFor(
  { settings, now }: Dispatch,
  assignment: Assignment,
  read: Read,
  { job, fact }: { job: ObjectRef; fact: AnyFact },
): Mailbox | null {
  const { kind, event } = read;
  const key = streamId(job);
  const before = assignment.jobs.get(key);
  const known = updateKnownJob(assignment, settings, read, { job, fact, now: now() });
  const arrival: Arrival = { fact, event, before, known };
  if (!kind.concerns(arrival, settings)) {
    if (known === undefined && kind.isRecalledLater(fact)) assignment.early.add(job);
    return null;
  }
  const isDone = known?.isFinished === true && !needsRun(settings, known);
  const existing = assignment.mailboxes.get(key);
  if (existing !== undefined) {
    // A pod that is read before its Job may be from another namespace: only the Job itself names the namespace of the
    // Job.
    if (known !== undefined) existing.job = known.ref;
    existing.isFinished = isDone;
    noteUse(assignment, key, existing, now());
    return existing;
  }
  const mailbox = openMailbox(known?.ref ?? job, {
    needsRecall: known?.wasThere ?? true,
    mayStart: !assignment.gone.has(key) && kind.mayStart(arrival),
    isFinished: isDone,
    decided: before?.decided,
  });
  noteUse(assignment, key, mailbox, now());
  return mailbox;
}

function isDeletionOfObject(kind: Kind, fact: AnyFact): boolean {
  return fact.type.endsWith('.deleted') && kind.objectIn(fact) === 'itself';
}

/**
 * Updates the known objects, and returns the entry of this object. An object of ours counts as new from its first
 * observation until it has started, or can never start.
 */
function updateKnownJob(
  { jobs, early, liveUpTo, newJobs }: Assignment,
  settings: Settings,
  { kind, offset }: Read,
  { job, fact, now }: { job: ObjectRef; fact: AnyFact; now: number },
): KnownJob | undefined {
  const key = streamId(job);
  const before = jobs.get(key);
  if (isDeletionOfObject(kind, fact)) {
    jobs.delete(key);
    early.take(job);
  }
  const observed = kind.observed(fact);
  if (observed === null) return before;
  const { managedBy, expires, isFinished, isToStart } = observed;
  const known: KnownJob = {
    ref: job,
    isOurs: kind.isOurs(settings, managedBy),
    expires,
    isFinished,
    // The ledger may have older facts about the object; the run recalls these facts.
    wasThere: before?.wasThere ?? (offset < liveUpTo || early.take(job)),
    decided: before?.decided,
  };
  jobs.set(key, known);
  if (!isToStart) newJobs.remove(job);
  else if (before === undefined && known.isOurs && !known.wasThere) newJobs.add(job, now);
  return known;
}

/** Adds a fact to a mailbox. The position waits for the fact if the fact is news. */
function deliverFact(
  { now, periodMs }: Dispatch,
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
function deliverOutcome(
  { now, periodMs }: Dispatch,
  { mailboxes, position }: Assignment,
  key: string,
  resourceVersion: string,
): void {
  const mailbox = mailboxes.get(key);
  if (mailbox === undefined) return;
  recordOwnWrite(mailbox, resourceVersion, now(), periodMs);
  for (const each of mailbox.pending) if (!isNews(each)) position.finish(each.offset);
}
