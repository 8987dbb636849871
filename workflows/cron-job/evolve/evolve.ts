import { approvalAfter, breakingAfter } from '../../decision/invariants/approval.ts';
import { foldApproval } from '../../decision/user-requests.ts';
import type { CronCommand } from '../commands.ts';
import type { CronDecisionContent } from '../events.ts';
import type { CronFact } from '../facts.ts';
import type { CompactedCron } from '../observe/compact.ts';
import type { CronJobState } from '../state.ts';
import { NOT_PROVEN, unknownStart } from '../definitions/unknown-start.ts';
import { foldChild, forgetChild } from './children.ts';
import { foldCronJob, foldGone } from './cron-job.ts';
import { foldOutcome } from './outcomes.ts';
import { notePassed, noteUnproven } from './unknown.ts';
import { presentStatus } from '../definitions/present-status.ts';

/**
 * Folds events in order. Returns a new state, and does not change the given state. The function never throws an
 * error, and a repeat changes nothing.
 */
export function fold(state: CronJobState, events: readonly CompactedCron[]): CronJobState {
  const draft = {
    ...state,
    versions: { ...state.versions },
    children: { ...state.children },
    found: { ...state.found },
    retries: { ...state.retries },
    folded: [...state.folded],
  };
  for (const event of events) {
    if (event.type === 'cronjob.decided') foldDecision(draft, event.id, event.data);
    else if (foldContent(draft, event)) draft.folded.push({ id: event.id, digest: event.digest });
  }
  return draft;
}

/** Folds the content of a fact, a request or an outcome; returns false for a repeat. */
function foldContent(
  draft: CronJobState,
  event: Exclude<CompactedCron, { type: 'cronjob.decided' }>,
): boolean {
  if (event.type === 'outcome.recorded') {
    foldOutcome(draft, event.data);
    return true;
  }
  if (event.type === 'request.received') return foldApproval(draft, event);
  const { epoch = 0 } = event;
  // The fact was read before the API server was restored, so its versions cannot be compared with the present
  // versions.
  if (epoch < draft.epoch) return false;
  if (epoch > draft.epoch) beginEpoch(draft, epoch);
  return foldFact(draft, event);
}

/** Folds a fact of the cluster; returns false for a repeat. */
function foldFact(draft: CronJobState, fact: Exclude<CronFact, { type: 'request.received' }>): boolean {
  switch (fact.type) {
    case 'cronjob.observed':
      return foldCronJob(draft, fact.cronJob);
    case 'cronjob.deleted':
      return foldGone(draft, fact.resourceVersion);
    case 'job.observed':
      return foldChild(draft, fact.job);
    case 'job.deleted':
      return forgetChild(draft, fact);
    case 'watch.passed':
      return notePassed(draft, fact.resourceVersion);
  }
}

/** Folds the content of a decision: its commands become the pending commands. */
function foldDecision(draft: CronJobState, id: string, content: CronDecisionContent): void {
  if (draft.unproven !== null && content.commands.some(saysNotProven))
    draft.unproven = { ...draft.unproven, reported: true };
  // A creation of the previous decision without an outcome, from a replaced run, remains unknown.
  draft.unknown = unknownStart(draft);
  if (draft.unknown !== null && draft.decidedIn !== draft.epoch) noteUnproven(draft, draft.unknown);
  draft.last = { number: content.number, id, core: content.core, now: content.now };
  draft.waiting = content.waiting;
  draft.approval = approvalAfter(draft.approval, content);
  draft.breaking = breakingAfter(draft.breaking, content);
  draft.pending = content.commands;
  draft.answered = 0;
  draft.decidedIn = draft.epoch;
  draft.folded = [];
  const isStart = content.commands.some(({ kind }) => kind === 'CreateJob');
  if (isStart) {
    draft.unknown = null;
    draft.passed = '';
  }
  if (content.waiting?.rule === 'J-9.11') {
    if (draft.rescheduled) draft.hold = { until: content.nextDecisionAt };
    draft.rescheduled = false;
  } else if (isStart) draft.hold = null;
}

/** True for a command that creates the Event about a start without a proof. */
function saysNotProven(command: CronCommand): boolean {
  return command.kind === 'EmitEvents' && command.events.some(({ reason }) => reason === NOT_PROVEN);
}

/**
 * Begins an epoch, because the API server was restored from an older copy: its versions start over, so the core
 * resets its marks. Past starts still count: where the restored status shows earlier times, the last start and the
 * last success of the ledger apply.
 */
export function beginEpoch(draft: CronJobState, epoch: number): void {
  const { cronJob } = draft;
  if (cronJob !== null) {
    const { lastScheduleTime, lastSuccessfulTime } = presentStatus(draft, cronJob);
    draft.lastStart = lastScheduleTime ?? null;
    draft.lastSuccess = lastSuccessfulTime ?? null;
  }
  draft.epoch = epoch;
  draft.versions = { cronJob: '', jobs: '' };
  draft.passed = '';
  if (draft.unknown !== null) noteUnproven(draft, draft.unknown);
  // The restored API server may have Jobs again that Jobledger had deleted. The state keeps the Jobs that are known
  // to be foreign.
  for (const [uid, known] of Object.entries(draft.children)) {
    const { deleted: _deleted, listedAt: _listedAt, ...child } = known;
    draft.children[uid] = { ...child, resourceVersion: '' };
  }
  draft.removed = [];
  draft.found = {};
}
