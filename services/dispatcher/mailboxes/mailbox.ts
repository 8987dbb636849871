import type { JobRef } from '../../../workflows/activities.ts';
import type { CronFact } from '../../../workflows/cron-job/facts.ts';
import { cronUrgencyOf } from '../../../workflows/cron-job/observe/urgency.ts';
import { isOrdinary, urgencyOf, type Urgency } from '../../../workflows/job/observe/urgency.ts';
import type { Fact } from '../../../workflows/job/facts.ts';
import type { AnyFact } from '../../../workflows/ledger-event.ts';

/** The dispatcher's state of one Job or CronJob. All of it may be lost at any time. */
export interface Mailbox {
  job: JobRef;
  /** The last fact of each object, by uid. */
  previous: Map<string, AnyFact>;
  /** Unsent facts in ledger order. Facts that are no news are sent along with the next one that is. */
  pending: Pending[];
  /** When to send the pending facts, in milliseconds; null when none of them is news. */
  dueAt: number | null;
  lastSentAt: number;
  /** When something came into it last, in milliseconds. */
  usedAt: number;
  /** When the outcome of our last status write was read, in milliseconds. */
  lastWriteAt: number;
  /** True when the ledger may contain earlier decisions, which a new workflow must recall. */
  needsRecall: boolean;
  /** False for a Job that is known to be gone: its workflow is signalled if it runs, but not started. */
  mayStart: boolean;
  /** True for a Job that has finished and has no workflow any more. */
  isFinished: boolean;
  /** True when the deletion of the Job has been signalled. */
  isDeleted: boolean;
  isSending: boolean;
  /** Failed signals in a row. */
  failures: number;
  /** resourceVersion of our last status write, once its outcome was read. */
  ownVersion: string;
  /** The epoch of the last observation: versions of another one are not comparable. */
  epoch: number;
}

export interface Pending {
  fact: AnyFact;
  offset: bigint;
  urgency: Urgency;
}

/** True for news: the position must not pass it before it is sent. */
export function isUrgent({ urgency }: Pending): boolean {
  return urgency !== 'none';
}

/** Default batch period: at most one signal per Job in this time for facts that are not urgent (J-3.2). */
const PERIOD_MS = 1000;
/** The most facts kept that are no news: the workflow does not need them. */
const MAX_QUIET = 200;

type OpenOptions = Pick<Mailbox, 'needsRecall' | 'mayStart'> & Partial<Pick<Mailbox, 'isFinished'>>;

export function openMailbox(
  job: JobRef,
  { needsRecall, mayStart, isFinished = false }: OpenOptions,
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
    epoch: 0,
  };
}

/** Adds a fact and sets when the mailbox is due. `periodMs`: the configured batch period. */
export function post(
  mailbox: Mailbox,
  arrived: Omit<Pending, 'urgency'>,
  now: number,
  periodMs = PERIOD_MS,
): void {
  const { fact } = arrived;
  enterEpochOf(mailbox, fact);
  const key = objectOf(mailbox, fact);
  const previous = mailbox.previous.get(key ?? '');
  const urgency = isOwnWrite(mailbox, fact) ? 'none' : urgencyIn(mailbox, previous, fact);
  if ('uid' in fact) mailbox.previous.delete(fact.uid);
  else if (key !== null) mailbox.previous.set(key, fact);
  mailbox.pending.push({ ...arrived, urgency });
  if (urgency === 'now') mailbox.dueAt = now;
  else if (urgency === 'soon')
    mailbox.dueAt = Math.min(mailbox.dueAt ?? Infinity, soonest(mailbox, fact, now, periodMs));
  else forgetQuiet(mailbox);
}

/** In a new epoch nothing is known of an object: its first fact is as urgent as that of a new one. */
function enterEpochOf(mailbox: Mailbox, { epoch = 0 }: AnyFact): void {
  if (epoch <= mailbox.epoch) return;
  mailbox.epoch = epoch;
  mailbox.previous.clear();
  mailbox.ownVersion = '';
}

/**
 * The first end of a pod after a pause is sent at once, then one batch per period. The period also starts at our last
 * status write, so that a client that reads the status once per period sees every status (J-3.2). An observed status
 * waits a full period, because it may be our own write; and so does a pod that has only become ready, because a short one ends
 * within it.
 */
function soonest(mailbox: Mailbox, fact: AnyFact, now: number, periodMs: number): number {
  if (fact.type === 'job.observed' || isOfRunningPod(fact)) return now + periodMs;
  return Math.max(now, Math.max(mailbox.lastSentAt, mailbox.lastWriteAt) + periodMs);
}

/**
 * Records that this resourceVersion is our own write: the fact in which it comes back, before or after this call, is no
 * news. Facts that are not urgent wait one period from now.
 */
export function recogniseOutcome(
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
  if (!mailbox.pending.some(isUrgent)) mailbox.dueAt = null;
  else if (mailbox.dueAt !== null && !mailbox.pending.some(({ urgency }) => urgency === 'now'))
    mailbox.dueAt = Math.max(mailbox.dueAt, now + periodMs);
}

function urgencyIn({ job }: Mailbox, previous: AnyFact | undefined, fact: AnyFact): Urgency {
  return job.kind === 'CronJob'
    ? cronUrgencyOf(previous as CronFact | undefined, fact as CronFact)
    : urgencyOf(previous as Fact | undefined, fact as Fact);
}

function isOwnWrite({ ownVersion }: Mailbox, fact: AnyFact): boolean {
  if (fact.type === 'cronjob.observed') return fact.cronJob.resourceVersion === ownVersion;
  return fact.type === 'job.observed' && fact.job.resourceVersion === ownVersion;
}

/** A pod that is counted as active, before and after: at most its readiness and its restarts have changed. */
function isOfRunningPod(fact: AnyFact): boolean {
  if (fact.type !== 'pod.observed') return false;
  const { pod } = fact;
  return isOrdinary(pod) && pod.phase === 'Running' && pod.deleting !== true;
}

function forgetQuiet(mailbox: Mailbox): void {
  if (mailbox.dueAt === null && mailbox.pending.length > MAX_QUIET) mailbox.pending.shift();
}

/**
 * Whether some facts of a mailbox start a workflow when none runs. The pods of a finished Job were released before it finished, so
 * the deletion of the Job or of a pod needs no workflow.
 */
export function startsWorkflow({ mayStart, isFinished }: Mailbox, facts: readonly Pending[]): boolean {
  return mayStart && !(isFinished && facts.every((each) => !isUrgent(each) || onlySaysGone(each.fact)));
}

function onlySaysGone(fact: AnyFact): boolean {
  if (fact.type === 'pod.observed') return fact.pod.tracked !== true;
  return fact.type === 'pod.deleted' || fact.type === 'job.deleted';
}

/** Key of the observed object; null when the fact is not an observation. */
function objectOf({ job }: Mailbox, fact: AnyFact): string | null {
  switch (fact.type) {
    case 'pod.observed':
      return fact.pod.uid;
    case 'pod.deleted':
      return fact.uid;
    case 'job.observed':
      return job.kind === 'CronJob' ? fact.job.uid : 'job';
    case 'job.deleted':
      return 'uid' in fact ? fact.uid : 'job';
    case 'cronjob.observed':
    case 'cronjob.deleted':
      return 'cronjob';
    case 'awaited-job.observed':
    case 'command.received':
    case 'watch.passed':
      return null;
  }
}
