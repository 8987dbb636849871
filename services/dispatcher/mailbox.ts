import type { JobRef } from '../../workflows/activities.ts';
import type { Fact } from '../../workflows/job/facts.ts';
import { news, type Urgency } from '../../workflows/job/observe/news.ts';

/** What the dispatcher remembers of one Job of ours. All of it may be lost at any time. */
export interface Mailbox {
  job: JobRef;
  /** The last fact of each object, by uid. */
  previous: Map<string, Fact>;
  /** Facts not sent yet, in ledger order. Those that are no news ride along with the next that is. */
  pending: Pending[];
  /** When the pending facts are to be sent, in milliseconds; null when none of them is news. */
  dueAt: number | null;
  lastSentAt: number;
  /** When our last status write was read of. */
  lastWriteAt: number;
  /** The ledger may hold decisions from before: a workflow that starts now must recall them. */
  needsRecall: boolean;
  /** False for a Job that is known to be gone: its workflow is told if it runs, and not started. */
  mayStart: boolean;
  /** The deletion of the Job has been told. */
  isDeleted: boolean;
  isSending: boolean;
  /** Version of our last status write, as far as its outcome was read. */
  ownVersion: string;
}

export interface Pending {
  fact: Fact;
  offset: bigint;
  urgency: Urgency;
}

/** The position may not move past news before it is sent. */
export function isUrgent({ urgency }: Pending): boolean {
  return urgency !== 'none';
}

/** At most one signal a second and Job for what need not be told at once (J-3.2). */
const PERIOD_MS = 1000;
/** What is no news is not kept in any number: the workflow can do without. */
const MAX_QUIET = 200;

export function openMailbox(
  job: JobRef,
  { needsRecall, mayStart }: Pick<Mailbox, 'needsRecall' | 'mayStart'>,
): Mailbox {
  return {
    job,
    previous: new Map(),
    pending: [],
    dueAt: null,
    lastSentAt: 0,
    lastWriteAt: 0,
    needsRecall,
    mayStart,
    isDeleted: false,
    isSending: false,
    ownVersion: '',
  };
}

/** Takes a fact in, and sets when the mailbox is due. `periodMs`: the batch period in force. */
export function post(
  mailbox: Mailbox,
  arrived: Omit<Pending, 'urgency'>,
  now: number,
  periodMs = PERIOD_MS,
): void {
  const { fact } = arrived;
  const key = objectOf(fact);
  const urgency = isOwnWrite(mailbox, fact) ? 'none' : news(mailbox.previous.get(key ?? ''), fact);
  if (fact.type === 'pod.deleted') mailbox.previous.delete(fact.uid);
  else if (key !== null) mailbox.previous.set(key, fact);
  mailbox.pending.push({ ...arrived, urgency });
  if (urgency === 'now') mailbox.dueAt = now;
  else if (urgency === 'soon')
    mailbox.dueAt = Math.min(mailbox.dueAt ?? Infinity, soonest(mailbox, fact, now, periodMs));
  else forgetQuiet(mailbox);
}

/**
 * The first pod change after a pause goes at once, then one batch a period. The period also runs from our last status
 * write, so that whoever reads the status once a period sees every one of them (J-3.2). A status may be our own, and waits.
 */
function soonest(mailbox: Mailbox, fact: Fact, now: number, periodMs: number): number {
  if (fact.type === 'job.observed') return now + periodMs;
  return Math.max(now, Math.max(mailbox.lastSentAt, mailbox.lastWriteAt) + periodMs);
}

/**
 * This version is our own write: the fact that it comes back as, before or after this, tells nothing new. What need not
 * be told at once waits a period from now.
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

function isOwnWrite({ ownVersion }: Mailbox, fact: Fact): boolean {
  return fact.type === 'job.observed' && fact.job.resourceVersion === ownVersion;
}

function forgetQuiet(mailbox: Mailbox): void {
  if (mailbox.dueAt === null && mailbox.pending.length > MAX_QUIET) mailbox.pending.shift();
}

/** Null for what is no observation of an object. */
function objectOf(fact: Fact): string | null {
  switch (fact.type) {
    case 'pod.observed':
      return fact.pod.uid;
    case 'pod.deleted':
      return fact.uid;
    case 'job.observed':
    case 'job.deleted':
      return 'job';
    case 'command.received':
      return null;
  }
}
