import type { JobRef } from '../../../workflows/activities.ts';
import { compact } from '../../../workflows/job/observe/compact.ts';
import type { CommandAnswered, JobDeleted, JobEvent } from '../../../workflows/job/events.ts';
import type { Fact, JobFacts } from '../../../workflows/job/facts.ts';
import { isOfCronJob, type LedgerEvent } from '../../../workflows/ledger-event.ts';
import { isOurs, type Settings } from '../../../workflows/job/settings.ts';
import { isFinished } from '../../../workflows/job/definitions/conditions.ts';
import { expiryOf } from '../../../workflows/job/definitions/expiry.ts';
import { readEvent, REQUESTS_SOURCE } from '../../adapters/events/event-codec.ts';
import type { Batch } from '../../adapters/kafka/subscribe.ts';
import { forgetGone, type Assignment, type Assignments, type KnownJob } from '../assignments/assignment.ts';
import { sortCronJobEvent } from './sort-cron-job.ts';
import { isToStart } from './new-jobs.ts';
import { deliver, deliverOutcome } from './deliver.ts';
import { use } from './idle.ts';
import { openMailbox, type Mailbox } from './mailbox.ts';

/**
 * Whether a Job needs a workflow: we manage it and it has not finished, or we must delete it after its TTL, whichever controller
 * manages it (J-10.4).
 */
export function hasWorkflow({ controllers }: Settings, job: KnownJob | undefined): boolean {
  if (job === undefined) return false;
  return (job.isOurs && !job.isFinished) || (job.expires && controllers.includes('ttl'));
}

export interface Dispatch {
  assignments: Assignments;
  settings: Settings;
  countRead: (events: readonly LedgerEvent[]) => void;
  now: () => number;
  periodMs: number;
  /** Whether CronJobs are ours. */
  cronJobs?: boolean;
}

/**
 * Sorts a batch of the ledger into the mailboxes of our Jobs, for all clusters. Skips unreadable records, which the
 * projector reports. @throws NewerRecordError at a record that this version cannot read; the records before it are
 * sorted in.
 */
export function sortIn(
  dispatch: Dispatch,
  assignment: Assignment,
  { records }: Pick<Batch, 'records'>,
): void {
  for (const record of records) {
    const event = readEvent(record);
    const { offset } = record;
    if (event !== null) {
      dispatch.countRead([event]);
      if (!isOfCronJob(event)) sortEvent(dispatch, assignment, event, offset);
      else if (dispatch.cronJobs === true) sortCronJobEvent(dispatch, assignment, event, offset);
    }
    assignment.position.read(offset + 1n);
  }
  forgetGone(assignment);
}

function sortEvent(dispatch: Dispatch, assignment: Assignment, event: JobEvent, offset: bigint): void {
  if (event.type === 'command.answered') return recogniseOwnWrite(dispatch, assignment, event);
  if (event.type === 'job.decided' || event.type === 'job.deleted')
    assignment.newJobs.remove(event.data.cluster, event.data.jobUid);
  const fact = factOf(event);
  if (fact === null) return;
  const mailbox = mailboxFor(dispatch, assignment, event, fact, offset);
  if (mailbox !== null) deliver(dispatch, assignment, mailbox, { fact, offset });
}

/**
 * Facts for workflows. Decisions and outcomes are folded where they are made, and so are user requests that were
 * signalled to a workflow directly.
 */
function factOf(event: JobEvent): Fact | null {
  if (event.type === 'command.received' && event.source !== REQUESTS_SOURCE) return null;
  const fact = compact(event);
  return fact?.type === 'job.decided' || fact?.type === 'command.answered' ? null : fact;
}

function recogniseOwnWrite(dispatch: Dispatch, assignment: Assignment, { data }: CommandAnswered): void {
  const { cluster, jobUid, answer } = data;
  if (answer.kind !== 'WriteStatus' || answer.result !== 'written') return;
  deliverOutcome(dispatch, assignment, `${cluster}/${jobUid}`, answer.job.resourceVersion);
}

/** The mailbox for an event; null when the event concerns no Job of ours. */
function mailboxFor(
  { settings, now }: Dispatch,
  assignment: Assignment,
  event: JobEvent,
  fact: Fact,
  offset: bigint,
): Mailbox | null {
  const key = 'jobUid' in event.data ? `${event.data.cluster}/${event.data.jobUid}` : '';
  const before = assignment.jobs.get(key);
  const known = follow(assignment, settings, key, event, fact, offset);
  if (fact.type === 'job.observed') countNew(assignment, { job: fact.job, before, known }, now());
  if (!concerns(settings, event, fact, before, known)) return null;
  const isDone = known?.isFinished === true && !hasWorkflow(settings, known);
  const existing = assignment.mailboxes.get(key);
  if (existing !== undefined) {
    // A pod that came before its Job may have been of another namespace: only the Job itself names its own.
    if (known !== undefined) existing.job = known.ref;
    existing.isFinished = isDone;
    use(assignment, key, existing, now());
    return existing;
  }
  const mailbox = openMailbox(known?.ref ?? refOf(event), {
    needsRecall: known?.wasThere ?? true,
    mayStart: !assignment.gone.has(key) && (known !== undefined || fact.type !== 'command.received'),
    isFinished: isDone,
  });
  use(assignment, key, mailbox, now());
  return mailbox;
}

/** A Job of ours counts as new from its first observation on, until it has started or will not. */
function countNew(
  { newJobs }: Assignment,
  { job, before, known }: { job: JobFacts; before: KnownJob | undefined; known: KnownJob | undefined },
  now: number,
): void {
  if (known === undefined) return;
  const { cluster, uid } = known.ref;
  if (!isToStart(job)) newJobs.remove(cluster, uid);
  else if (before === undefined && known.isOurs && !known.wasThere) newJobs.add(cluster, uid, now);
}

/** Updates the known Jobs; returns the entry of this Job. */
function follow(
  { jobs, liveUpTo }: Assignment,
  settings: Settings,
  key: string,
  event: JobEvent,
  fact: Fact,
  offset: bigint,
): KnownJob | undefined {
  const known = jobs.get(key);
  if (fact.type === 'job.deleted') jobs.delete(key);
  if (fact.type !== 'job.observed') return known;
  const { job } = fact;
  const now: KnownJob = {
    ref: refOf(event),
    isOurs: isOurs(settings, job.spec.managedBy),
    expires: expiryOf(job) !== null,
    isFinished: isFinished(job.status),
    wasThere: known?.wasThere ?? offset < liveUpTo,
  };
  jobs.set(key, now);
  return now;
}

/**
 * True when a workflow needs the fact. For a Job that another controller drives, only facts about the Job, not about
 * pods.
 */
function concerns(
  settings: Settings,
  event: JobEvent,
  fact: Fact,
  before: KnownJob | undefined,
  known: KnownJob | undefined,
): boolean {
  if (known?.isOurs === true) return true;
  if (fact.type === 'job.observed') return hasWorkflow(settings, known) || hasWorkflow(settings, before);
  if (event.type === 'job.deleted')
    return known === undefined ? mayHaveBeenOurs(settings, event) : hasWorkflow(settings, known);
  // Its workflow, if one still runs, records that the Job is gone.
  if (fact.type === 'command.received') return known === undefined;
  return known === undefined && isAbandoned(fact, settings);
}

/** A Job that was deleted while this dispatcher was down: its workflow, if it has one, waits for the deletion. */
function mayHaveBeenOurs(settings: Settings, { data: { object } }: JobDeleted): boolean {
  return object === undefined || isOurs(settings, object.spec.managedBy);
}

/** A pod with our finalizer whose Job is unknown: a workflow must release it (the workflow looks up the Job). */
function isAbandoned(fact: Fact, { controllers, claim }: Settings): boolean {
  return (
    controllers.includes('job') &&
    fact.type === 'pod.observed' &&
    fact.pod.tracked === true &&
    fact.pod.elsewhere !== true &&
    (claim === 'all' || fact.pod.trackedByUs === true)
  );
}

function refOf({ data, subject }: JobEvent): JobRef {
  const [namespace = '', name = ''] = subject.split('/');
  return { cluster: data.cluster, uid: 'jobUid' in data ? data.jobUid : '', namespace, name };
}
