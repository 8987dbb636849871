import type { ObjectRef } from '../../../workflows/activities.ts';
import type { Urgency } from '../../../workflows/decision/urgency.ts';
import type { Kind } from '../../../workflows/kind.ts';
import { getKind } from '../../../workflows/kinds.ts';
import type { AnyFact } from '../../../workflows/ledger-event.ts';

/** The dispatcher's state of one Job or CronJob. The content of a mailbox may be lost at any time. */
export interface Mailbox {
  job: ObjectRef;
  /** The last fact of each object, by uid. */
  previous: Map<string, AnyFact>;
  /** Unsent facts in ledger order. Facts that are not urgent are sent with the next urgent fact. */
  pending: Pending[];
  /** The time to send the pending facts, in milliseconds; null when no fact needs to be sent. */
  dueAt: number | null;
  lastSentAt: number;
  /** The time at which the mailbox last received a fact, in milliseconds. */
  usedAt: number;
  /** The time at which the outcome of our last status write was read, in milliseconds. */
  lastWriteAt: number;
  /** True when the ledger may contain earlier decisions, which a new workflow must recall. */
  needsRecall: boolean;
  /** False for a Job that is known to be gone: signals reach a running workflow of this Job, but start none. */
  mayStart: boolean;
  /** True for a finished Job whose workflow has ended. */
  isFinished: boolean;
  /** True when the deletion of the Job has been signalled. */
  isDeleted: boolean;
  isSending: boolean;
  /** The number of signals that failed in a row. */
  failures: number;
  /** The resourceVersion of our last status write; empty until the outcome of the write is read. */
  ownVersion: string;
  /** The number of the last decision about the object that was read; undefined when none was read. */
  decided: number | undefined;
  /** The epoch of the last observation: versions of different epochs are not comparable. */
  epoch: number;
}

export interface Pending {
  fact: AnyFact;
  offset: bigint;
  urgency: Urgency;
  /** The size of the record of the fact, in bytes. */
  length: number;
  /** True when the fact was signalled before and no decision names the fact. */
  isRepeated?: true;
}

/** True for a fact that the position must not pass before it is sent. */
export function isNews({ urgency }: Pending): boolean {
  return urgency !== 'none';
}

/**
 * The default batch period, in milliseconds: facts that are not urgent cause at most one signal per Job in this time
 * (J-3.2).
 */
const PERIOD_MS = 1000;
/**
 * The limits for the number and the bytes of the kept facts that are not news, which the workflow does not need. The
 * last fact is kept whatever its size.
 */
const [MAX_QUIET, MAX_QUIET_LENGTH] = [200, 512 * 1024];

type OpenOptions = Pick<Mailbox, 'needsRecall' | 'mayStart'> &
  Partial<Pick<Mailbox, 'isFinished' | 'decided'>>;

export function openMailbox(
  job: ObjectRef,
  { needsRecall, mayStart, isFinished = false, decided }: OpenOptions,
): Mailbox {
  return {
    job,
    previous: new Map(),
    pending: [],
    dueAt: null,
    lastSentAt: 0,
    usedAt: 0,
    lastWriteAt: 0,
    needsRecall,
    mayStart,
    isFinished,
    isDeleted: false,
    isSending: false,
    failures: 0,
    ownVersion: '',
    decided,
    epoch: 0,
  };
}

/** Adds a fact and sets when the mailbox is due. `periodMs` is the configured batch period. */
export function addFact(
  mailbox: Mailbox,
  arrived: Omit<Pending, 'urgency'>,
  now: number,
  periodMs = PERIOD_MS,
): void {
  const { fact } = arrived;
  enterEpoch(mailbox, fact);
  const kind = getKind(mailbox.job);
  const key = objectKey(kind.objectIn(fact));
  const urgency = isOwnWrite(mailbox, fact) ? 'none' : kind.urgency(mailbox.previous.get(key ?? ''), fact);
  if ('uid' in fact) mailbox.previous.delete(fact.uid);
  else if (key !== null) mailbox.previous.set(key, fact);
  mailbox.pending.push({ ...arrived, urgency });
  if (urgency === 'now') mailbox.dueAt = now;
  else if (urgency === 'none') forgetQuietFacts(mailbox);
  else {
    const dueAt = urgency === 'later' ? now + periodMs : Math.max(now, nextBatchTime(mailbox, periodMs));
    mailbox.dueAt = Math.min(mailbox.dueAt ?? Infinity, dueAt);
  }
}

/** Adds facts that were signalled before. These facts are sent again, after urgent facts. */
export function addRepeatedFacts(mailbox: Mailbox, facts: readonly Pending[], now: number): void {
  for (const each of facts) mailbox.pending.push({ ...each, urgency: 'later', isRepeated: true });
  mailbox.dueAt = now;
}

/** The key of the observed object; null when the fact is not an observation. */
function objectKey(object: ReturnType<Kind['objectIn']>): string | null {
  return object === null || object === 'itself' ? object : object.uid;
}

/**
 * Forgets the observed objects when a fact begins a new epoch, so that the first fact of each object is as urgent as
 * the first fact of a new object.
 */
function enterEpoch(mailbox: Mailbox, { epoch = 0 }: AnyFact): void {
  if (epoch <= mailbox.epoch) return;
  mailbox.epoch = epoch;
  mailbox.previous.clear();
  mailbox.ownVersion = '';
}

/**
 * The earliest time for the next batch, in milliseconds. The first end of a pod after a pause is sent at once, and the
 * next ends are sent in one batch per period. The period also starts at our last status write, so that a client that
 * reads the status once per period sees every status (J-3.2).
 */
function nextBatchTime({ lastSentAt, lastWriteAt }: Mailbox, periodMs: number): number {
  return Math.max(lastSentAt, lastWriteAt) + periodMs;
}

/**
 * Records that our own write produced this resourceVersion. An observation of this version, before or after the call,
 * then causes no signal. Facts that are not urgent wait for one more period.
 */
export function recordOwnWrite(
  mailbox: Mailbox,
  resourceVersion: string,
  now: number,
  periodMs = PERIOD_MS,
): void {
  mailbox.ownVersion = resourceVersion;
  mailbox.lastWriteAt = now;
  mailbox.pending = mailbox.pending.map((each) =>
    isOwnWrite(mailbox, each.fact) ? { ...each, urgency: 'none' } : each,
  );
  if (!mailbox.pending.some(isNews)) mailbox.dueAt = null;
  else if (mailbox.dueAt !== null && !mailbox.pending.some(({ urgency }) => urgency === 'now'))
    mailbox.dueAt = Math.max(mailbox.dueAt, now + periodMs);
}

function isOwnWrite({ job, ownVersion }: Mailbox, fact: AnyFact): boolean {
  return getKind(job).versionIn(fact) === ownVersion;
}

/** Forgets the oldest facts of a mailbox without news when these facts exceed the limits. */
function forgetQuietFacts({ dueAt, pending }: Mailbox): void {
  if (dueAt !== null) return;
  let left = pending.reduce((sum, { length }) => sum + length, 0);
  while (pending.length > MAX_QUIET || (pending.length > 1 && left > MAX_QUIET_LENGTH))
    left -= pending.shift()?.length ?? 0;
}

/**
 * True when these facts of a mailbox start a workflow if no workflow runs. The pods of a finished Job were released
 * before it finished, so the deletion of the Job or of a pod needs no workflow.
 */
export function startsWorkflow({ job, mayStart, isFinished }: Mailbox, facts: readonly Pending[]): boolean {
  const { onlySaysGone } = getKind(job);
  return mayStart && !(isFinished && facts.every((each) => !isNews(each) || onlySaysGone(each.fact)));
}
