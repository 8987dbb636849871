import { instantOf } from '../../job/definitions/instants.ts';
import { compareVersions } from '../../job/definitions/resource-version.ts';
import type { ApiFailure } from '../../job/outcomes.ts';
import type { CronCommandAnswered, CronDecisionContent } from '../events.ts';
import type { ChildFacts, CronJobFacts } from '../facts.ts';
import type { CompactedCron } from '../observe/compact.ts';
import type { DeletionOutcome, CronOutcome } from '../outcomes.ts';
import type { Child, CronJobState } from '../state.ts';

/** J-9.10: 5 ms, doubled with each error, up to 1000 s. */
const FIRST_RETRY_MS = 5;
const MAX_RETRY_MS = 1_000_000;

/** Folds events in order. Returns a new state; the given one is not changed. Never throws; a repeat changes nothing. */
export function fold(state: CronJobState, events: readonly CompactedCron[]): CronJobState {
  const draft = {
    ...state,
    marks: { ...state.marks },
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

/** False for a repeat. */
function foldContent(
  draft: CronJobState,
  event: Exclude<CompactedCron, { type: 'cronjob.decided' }>,
): boolean {
  switch (event.type) {
    case 'cronjob.observed':
      return foldCronJob(draft, event.cronJob);
    case 'cronjob.deleted':
      return foldGone(draft, event.resourceVersion);
    case 'job.observed':
      return foldChild(draft, event.job);
    case 'job.deleted':
      return forgetChild(draft, event.uid, event.resourceVersion);
    case 'watch.passed':
      return true;
    case 'command.answered':
      foldOutcome(draft, event.data);
      return true;
  }
}

function foldDecision(draft: CronJobState, id: string, content: CronDecisionContent): void {
  draft.last = { number: content.number, id, core: content.core, now: content.now };
  draft.waiting = content.waiting;
  draft.pending = content.commands;
  draft.folded = [];
  if (content.waiting?.rule === 'J-9.11') {
    if (draft.rescheduled) draft.hold = { until: content.lookAgainAt };
    draft.rescheduled = false;
  } else if (content.commands.some(({ kind }) => kind === 'CreateJob')) draft.hold = null;
}

function foldCronJob(draft: CronJobState, cronJob: CronJobFacts): boolean {
  if (draft.gone || compareVersions(cronJob.resourceVersion, draft.marks.cronJob) <= 0) return false;
  const before = draft.cronJob;
  draft.marks.cronJob = cronJob.resourceVersion;
  draft.cronJob = cronJob;
  if (before !== null && before.generation !== cronJob.generation) {
    // Another change than of the schedule: what is due is done at once (J-9.11).
    draft.rescheduled =
      before.spec.schedule !== cronJob.spec.schedule || before.spec.timeZone !== cronJob.spec.timeZone;
    draft.hold = null;
    draft.taken = null;
    draft.retries = {};
  }
  forgetWritten(draft, cronJob);
  return true;
}

/** What the status on the server shows need not be remembered. */
function forgetWritten(draft: CronJobState, { status }: CronJobFacts): void {
  const listed = new Set(status.active?.map(({ uid }) => uid));
  const last = instantOf(status.lastScheduleTime) ?? -Infinity;
  draft.started = draft.started.filter(({ scheduledAt }) => (instantOf(scheduledAt) ?? 0) > last);
  const unlisted = new Set(draft.started.map(({ uid }) => uid));
  draft.removed = draft.removed.filter((uid) => listed.has(uid) || unlisted.has(uid));
  draft.found = Object.fromEntries(Object.entries(draft.found).filter(([uid]) => listed.has(uid)));
}

function foldGone(draft: CronJobState, resourceVersion: string): boolean {
  if (draft.gone) return false;
  draft.marks.cronJob = resourceVersion;
  draft.gone = true;
  return true;
}

function foldChild(draft: CronJobState, job: ChildFacts): boolean {
  const known = draft.children[job.uid];
  const version = known === undefined ? (job.listedAt ?? job.resourceVersion) : job.resourceVersion;
  if (compareVersions(version, known?.resourceVersion ?? draft.marks.jobs) <= 0) return false;
  if (job.elsewhere === true) {
    forgetChild(draft, job.uid, version);
    return true;
  }
  const { uid, elsewhere: _elsewhere, ...child } = job;
  draft.children[uid] = {
    ...child,
    ...(known?.listedAt !== undefined && child.listedAt === undefined && { listedAt: known.listedAt }),
    ...(known?.deleted === true && { deleted: true }),
    ...(known?.unexpected === true && { unexpected: true }),
  };
  delete draft.found[uid];
  noteSuccess(draft, child);
  return true;
}

/** J-9.30. */
function noteSuccess(draft: CronJobState, { finished, completionTime }: Omit<Child, 'name'>): void {
  const completion = finished === 'Complete' ? instantOf(completionTime) : null;
  if (completion === null || completionTime === undefined) return;
  if (completion > (instantOf(draft.lastSuccess) ?? -Infinity)) draft.lastSuccess = completionTime;
}

function forgetChild(draft: CronJobState, uid: string, resourceVersion: string): boolean {
  const known = draft.children[uid];
  if (known === undefined && compareVersions(resourceVersion, draft.marks.jobs) <= 0) return false;
  for (const version of [resourceVersion, known?.resourceVersion ?? '', known?.listedAt ?? ''])
    if (compareVersions(version, draft.marks.jobs) > 0) draft.marks.jobs = version;
  delete draft.children[uid];
  return true;
}

/** Folds the outcome of a command of the last decision. */
function foldOutcome(draft: CronJobState, { command, answer }: CronCommandAnswered['data']): void {
  const failure = failureOf(answer);
  if (answer.kind !== 'skipped') {
    if (failure === null) delete draft.retries[answer.kind];
    else rememberError(draft, answer.kind, failure);
  }
  foldEffect(draft, command, answer);
  if (command === draft.pending.length - 1) draft.pending = [];
}

function foldEffect(draft: CronJobState, command: number, answer: CronOutcome): void {
  switch (answer.kind) {
    case 'CreateJob':
      return foldCreation(draft, command, answer);
    case 'DeleteJobs':
    case 'ReplaceJobs':
      for (const job of answer.jobs) foldDeletion(draft, job);
      return;
    case 'WriteStatus':
      if (answer.result === 'gone') foldGone(draft, draft.marks.cronJob);
      else if (answer.result !== 'failed') foldCronJob(draft, answer.cronJob);
      return;
    case 'LookUpCronJob':
      if (answer.result === 'failed') return;
      if (answer.cronJob === null) foldGone(draft, draft.marks.cronJob);
      else foldCronJob(draft, answer.cronJob);
      return noteUnexpected(draft, command);
    case 'LookUpJobs':
      for (const job of answer.jobs) {
        if (job.result === 'gone') addRemoved(draft, job.uid);
        if (job.result !== 'found') continue;
        draft.found[job.uid] = draft.last?.now ?? 0;
        if (job.job !== undefined) foldChild(draft, job.job);
      }
      return;
    case 'EmitEvents':
    case 'skipped':
      return;
  }
}

/** A created Job is listed by the next status; it is a child before it is observed (J-9.38). */
function foldCreation(
  draft: CronJobState,
  command: number,
  answer: Extract<CronOutcome, { kind: 'CreateJob' }>,
): void {
  const wish = draft.pending[command];
  if (answer.result === 'gone') return void foldGone(draft, draft.marks.cronJob);
  if (wish?.kind !== 'CreateJob' || answer.result === 'failed') return;
  if (answer.result === 'taken') {
    draft.taken = wish.scheduledAt;
    return;
  }
  const { uid, name, resourceVersion } = answer.job;
  draft.started = [...draft.started, { uid, name, resourceVersion, scheduledAt: wish.scheduledAt }];
  draft.taken = null;
  foldChild(draft, answer.job);
}

function foldDeletion(draft: CronJobState, job: DeletionOutcome): void {
  if (job.result === 'failed' && job.error.status !== 404 && job.error.status !== 409) return;
  const known = draft.children[job.uid];
  if (known !== undefined) draft.children[job.uid] = { ...known, deleted: true };
  if (job.result === 'done') addRemoved(draft, job.uid);
}

function addRemoved(draft: CronJobState, uid: string): void {
  if (!draft.removed.includes(uid)) draft.removed = [...draft.removed, uid];
}

function noteUnexpected(draft: CronJobState, command: number): void {
  const wish = draft.pending[command];
  if (wish?.kind !== 'LookUpCronJob') return;
  for (const { uid } of wish.jobs) {
    const child = draft.children[uid];
    if (child !== undefined) draft.children[uid] = { ...child, unexpected: true };
  }
}

function failureOf(answer: CronOutcome): ApiFailure | null {
  if ('error' in answer) return answer.error;
  if (!('jobs' in answer)) return null;
  for (const job of answer.jobs) if ('error' in job) return job.error;
  return null;
}

/** Waits are computed from the decision's instant, so that no restart moves them. */
function rememberError(
  draft: CronJobState,
  kind: Exclude<CronOutcome['kind'], 'skipped'>,
  { message }: ApiFailure,
): void {
  const errors = (draft.retries[kind]?.errors ?? 0) + 1;
  const wait = Math.min(FIRST_RETRY_MS * 2 ** (errors - 1), MAX_RETRY_MS);
  draft.retries[kind] = { errors, until: (draft.last?.now ?? 0) + wait, message };
}
