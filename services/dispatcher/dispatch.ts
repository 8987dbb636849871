import type { JobRef } from '../../workflows/activities.ts';
import { compact } from '../../workflows/job/compact.ts';
import type { CommandAnswered, JobEvent } from '../../workflows/job/events.ts';
import type { Fact } from '../../workflows/job/facts.ts';
import { isClaimed, type Claim } from '../../workflows/kubernetes/names.ts';
import { decodeEvent } from '../adapters/event-codec.ts';
import type { Batch } from '../adapters/kafka/subscribe.ts';
import { isNews, openMailbox, post, recognise, type Mailbox } from './mailbox.ts';
import type { Positions } from './positions.ts';

/** A Job that is known to be alive, or to be somebody else's. */
export interface KnownJob {
  ref: JobRef;
  isOurs: boolean;
}

export interface Dispatch {
  jobs: Map<string, KnownJob>;
  mailboxes: Map<string, Mailbox>;
  positions: Positions;
  claim: Claim;
  /** Offsets below were in the ledger when this dispatcher started: its own past may be among them. */
  startedAt: ReadonlyMap<number, bigint>;
  clusters: ReadonlySet<string>;
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
    if (event !== null) sortEvent(dispatch, event, partition, offset);
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

/** Null for what concerns no Job of ours. */
function mailboxFor(
  dispatch: Dispatch,
  event: JobEvent,
  fact: Fact,
  partition: number,
  offset: bigint,
): Mailbox | null {
  const key = 'jobUid' in event.data ? `${event.data.cluster}/${event.data.jobUid}` : '';
  const known = dispatch.jobs.get(key);
  const isNew = known === undefined && fact.type === 'job.observed';
  if (!isOurs(dispatch, key, event, fact, known)) return null;
  const existing = dispatch.mailboxes.get(key);
  if (existing !== undefined) return existing;
  const wasThere = offset < (dispatch.startedAt.get(partition) ?? 0n);
  const mailbox = openMailbox(known?.ref ?? refOf(event), wasThere || !isNew);
  dispatch.mailboxes.set(key, mailbox);
  return mailbox;
}

function isOurs(
  { jobs, claim }: Dispatch,
  key: string,
  event: JobEvent,
  fact: Fact,
  known: KnownJob | undefined,
): boolean {
  if (fact.type === 'job.observed') {
    const ours = isClaimed(claim, fact.job.spec.managedBy);
    jobs.set(key, { ref: refOf(event), isOurs: ours });
    return ours;
  }
  if (fact.type === 'job.deleted') {
    jobs.delete(key);
    return known?.isOurs ?? false;
  }
  return known?.isOurs ?? isAbandoned(fact, claim);
}

/** A pod with our finalizer whose Job is not known: somebody must free it (its workflow looks the Job up). */
function isAbandoned(fact: Fact, claim: Claim): boolean {
  return (
    fact.type === 'pod.observed' &&
    fact.pod.tracked === true &&
    (claim === 'all' || fact.pod.trackedByUs === true)
  );
}

function refOf({ data, subject }: JobEvent): JobRef {
  const [namespace = '', name = ''] = subject.split('/');
  return { cluster: data.cluster, uid: 'jobUid' in data ? data.jobUid : '', namespace, name };
}
