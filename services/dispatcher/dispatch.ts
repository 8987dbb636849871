import type { JobRef } from '../../workflows/activities.ts';
import { compact } from '../../workflows/job/compact.ts';
import type { CommandAnswered, JobDeleted, JobEvent } from '../../workflows/job/events.ts';
import type { Fact } from '../../workflows/job/facts.ts';
import { isOurs, type Settings } from '../../workflows/job/settings.ts';
import { expiryOf } from '../../workflows/job/ttl-after-finished.ts';
import { decodeEvent } from '../adapters/event-codec.ts';
import type { Batch } from '../adapters/kafka/subscribe.ts';
import { isNews, openMailbox, post, recognise, type Mailbox } from './mailbox.ts';
import type { Positions } from './positions.ts';

/** A Job that is known to be alive. */
export interface KnownJob {
  ref: JobRef;
  /** We drive it: its workflow is told everything. */
  isOurs: boolean;
  /** It has finished and has a `ttlSecondsAfterFinished`. */
  expires: boolean;
  /** Since when it is known: the ledger may hold decisions on one that was there before this dispatcher. */
  wasThere: boolean;
}

/**
 * Whether a Job has a workflow: we drive it, or we are to delete it after its end, whoever drives it (J-10.4).
 */
export function hasWorkflow({ controllers }: Settings, job: KnownJob | undefined): boolean {
  return job?.isOurs === true || (job?.expires === true && controllers.includes('ttl'));
}

export interface Dispatch {
  jobs: Map<string, KnownJob>;
  mailboxes: Map<string, Mailbox>;
  positions: Positions;
  settings: Settings;
  /** Offsets below were in the ledger when this dispatcher started: its own past may be among them. */
  startedAt: ReadonlyMap<number, bigint>;
  clusters: ReadonlySet<string>;
  countRead: (events: readonly JobEvent[]) => void;
  now: () => number;
  periodMs: number;
}

/** Sorts a batch of the ledger into the mailboxes of our Jobs. What cannot be read is the projector's to report. */
export function sortIn(
  dispatch: Dispatch,
  { partition, records }: Pick<Batch, 'partition' | 'records'>,
): void {
  for (const { value, offset } of records) {
    const event = readable(value);
    if (event !== null) {
      dispatch.countRead([event]);
      sortEvent(dispatch, event, partition, offset);
    }
    dispatch.positions.read(partition, offset + 1n);
  }
}

function readable(value: Buffer | null): JobEvent | null {
  try {
    return decodeEvent(value);
  } catch {
    return null;
  }
}

function sortEvent(dispatch: Dispatch, event: JobEvent, partition: number, offset: bigint): void {
  if (!dispatch.clusters.has(event.data.cluster)) return;
  if (event.type === 'command.answered') return recogniseOwnWrite(dispatch, event);
  const fact = compact(event);
  // Our own decisions, and people's wishes, are folded where they are made.
  if (
    fact === null ||
    fact.type === 'job.decided' ||
    fact.type === 'command.answered' ||
    fact.type === 'command.received'
  )
    return;
  const mailbox = mailboxFor(dispatch, event, fact, partition, offset);
  if (mailbox === null) return;
  post(mailbox, { fact, partition, offset }, dispatch.now(), dispatch.periodMs);
  const posted = mailbox.pending.at(-1);
  if (posted !== undefined && isNews(posted)) dispatch.positions.owe(partition, offset);
}

function recogniseOwnWrite(
  { mailboxes, positions, now, periodMs }: Dispatch,
  { data }: CommandAnswered,
): void {
  const mailbox = mailboxes.get(`${data.cluster}/${data.jobUid}`);
  if (mailbox === undefined || data.answer.kind !== 'WriteStatus' || data.answer.result !== 'written') return;
  recognise(mailbox, data.answer.job.resourceVersion, now(), periodMs);
  for (const each of mailbox.pending) if (!isNews(each)) positions.settle(each.partition, each.offset);
}

/** Null for what concerns no Job that we have to do with. */
function mailboxFor(
  dispatch: Dispatch,
  event: JobEvent,
  fact: Fact,
  partition: number,
  offset: bigint,
): Mailbox | null {
  const key = 'jobUid' in event.data ? `${event.data.cluster}/${event.data.jobUid}` : '';
  const before = dispatch.jobs.get(key);
  const wasThere = offset < (dispatch.startedAt.get(partition) ?? 0n);
  const known = follow(dispatch, key, event, fact, wasThere);
  if (!concerns(dispatch, event, fact, before, known)) return null;
  const existing = dispatch.mailboxes.get(key);
  if (existing !== undefined) return existing;
  const mailbox = openMailbox(known?.ref ?? refOf(event), known?.wasThere ?? true);
  dispatch.mailboxes.set(key, mailbox);
  return mailbox;
}

/** Remembers what Jobs there are; returns what is known of this one now. */
function follow(
  { jobs, settings }: Dispatch,
  key: string,
  event: JobEvent,
  fact: Fact,
  wasThere: boolean,
): KnownJob | undefined {
  const known = jobs.get(key);
  if (fact.type === 'job.deleted') jobs.delete(key);
  if (fact.type !== 'job.observed') return known;
  const { job } = fact;
  const now: KnownJob = {
    ref: refOf(event),
    isOurs: isOurs(settings, job.spec.managedBy),
    expires: expiryOf(job) !== null,
    wasThere: known?.wasThere ?? wasThere,
  };
  jobs.set(key, now);
  return now;
}

/** Whether a fact is for a workflow. Of a Job that somebody else drives only the Job is told, not its pods. */
function concerns(
  { settings }: Dispatch,
  event: JobEvent,
  fact: Fact,
  before: KnownJob | undefined,
  known: KnownJob | undefined,
): boolean {
  if (known?.isOurs === true) return true;
  if (fact.type === 'job.observed') return hasWorkflow(settings, known) || hasWorkflow(settings, before);
  if (event.type === 'job.deleted')
    return known === undefined ? mayHaveBeenOurs(settings, event) : hasWorkflow(settings, known);
  return known === undefined && isAbandoned(fact, settings);
}

/** A Job that went while this dispatcher was away: its workflow, if it has one, waits to be told. */
function mayHaveBeenOurs(settings: Settings, { data: { object } }: JobDeleted): boolean {
  return object === undefined || isOurs(settings, object.spec.managedBy);
}

/** A pod with our finalizer whose Job is not known: somebody must free it (its workflow looks the Job up). */
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
