import { decidedAt } from '../../decision/retry.ts';
import type { CronOutcomeRecorded } from '../events.ts';
import { isOfEarlierEpoch } from '../definitions/earlier-epoch.ts';
import type { CronOutcome, DeletionOutcome, LookUpOutcome } from '../outcomes.ts';
import type { CronJobState } from '../state.ts';
import { foldChild } from './children.ts';
import { foldCronJob, foldGone } from './cron-job.ts';
import { rememberSetback, setbackMessage } from './retries.ts';
import { addStarted, noteUnknown, noteUnproven } from './unknown.ts';

type CreationOutcome = Extract<CronOutcome, { kind: 'CreateJob' }>;

/** Folds the outcome of a command of the last decision. */
export function foldOutcome(draft: CronJobState, { command, outcome }: CronOutcomeRecorded['data']): void {
  const asked = draft.pending[command];
  if (outcome.kind !== 'skipped') {
    const kind = outcome.kind === 'stale' ? outcome.commandKind : outcome.kind;
    const setback = setbackMessage(outcome);
    if (setback === null) delete draft.retries[kind];
    else rememberSetback(draft, kind, setback);
  }
  draft.answered = command + 1;
  foldEffect(draft, command, outcome);
  // The server accepted the status and kept the same version, so the status would be written again at once.
  if (asked?.kind === 'WriteStatus' && asked.resourceVersion === draft.cronJob?.resourceVersion)
    if (outcome.kind === 'WriteStatus' && outcome.result === 'written')
      rememberSetback(draft, 'WriteStatus', 'the write changed nothing');
  if (command === draft.pending.length - 1) {
    draft.pending = [];
    draft.answered = 0;
  }
}

/** Folds the effect of a command on the state, unless a restore may have undone the effect. */
function foldEffect(draft: CronJobState, command: number, outcome: CronOutcome): void {
  // The restore may have undone the command: a deleted Job may exist again, and its versions cannot be compared with
  // the present versions.
  if (!isOfEpoch(draft) && outcome.kind !== 'CreateJob') return;
  switch (outcome.kind) {
    case 'CreateJob':
      return foldCreation(draft, command, outcome);
    case 'DeleteJobs':
    case 'ReplaceJobs':
      for (const job of outcome.jobs) foldDeletion(draft, job);
      return;
    case 'WriteStatus':
      if (outcome.result === 'gone') foldGone(draft, draft.versions.cronJob);
      else if (outcome.result !== 'failed') foldCronJob(draft, outcome.cronJob);
      return;
    case 'LookUpCronJob':
      if (outcome.result === 'failed') return;
      if (outcome.cronJob === null) foldGone(draft, draft.versions.cronJob);
      else foldCronJob(draft, outcome.cronJob);
      return noteUnexpected(draft, command);
    case 'LookUpJobs':
      for (const job of outcome.jobs) foldLookUp(draft, job);
      return;
    case 'AwaitWatch':
      if (draft.unknown !== null && draft.unknown.after === null)
        noteUnknown(draft, { ...draft.unknown, after: outcome.after });
      return;
    case 'stale':
      foldCronJob(draft, outcome.cronJob);
      return;
    case 'EmitEvents':
    case 'skipped':
      return;
  }
}

/** True when the API server was not restored from an older copy since the decision. */
function isOfEpoch({ decidedIn, epoch }: CronJobState): boolean {
  return decidedIn === epoch;
}

/** Folds a created Job: the next status lists the Job, which is a child before it is observed (J-9.38). */
function foldCreation(draft: CronJobState, command: number, outcome: CreationOutcome): void {
  const asked = draft.pending[command];
  if (outcome.result === 'gone') {
    if (isOfEpoch(draft)) foldGone(draft, draft.versions.cronJob);
    return;
  }
  if (asked?.kind !== 'CreateJob') return;
  const { name, scheduledAt } = asked;
  if (outcome.result === 'unknown') {
    if (!isOfEpoch(draft)) return noteUnproven(draft, { name, scheduledAt });
    return noteUnknown(draft, { name, scheduledAt, after: outcome.after });
  }
  if (outcome.result === 'failed') return;
  if (outcome.result === 'taken') {
    draft.taken = scheduledAt;
    return;
  }
  addStarted(draft, outcome.job, scheduledAt);
  draft.taken = null;
  if (isOfEpoch(draft)) foldChild(draft, outcome.job);
}

/** Folds the outcome of the deletion of one Job. */
function foldDeletion(draft: CronJobState, job: DeletionOutcome): void {
  if (job.result === 'failed' && job.error.status !== 404 && job.error.status !== 409) return;
  const known = draft.children[job.uid];
  if (known !== undefined) draft.children[job.uid] = { ...known, deleted: true };
  if (job.result === 'done') addRemoved(draft, job.uid);
}

/** Folds the outcome of the look-up of one Job. */
function foldLookUp(draft: CronJobState, job: LookUpOutcome): void {
  if (job.result === 'failed') return;
  if (job.result === 'gone') addRemoved(draft, job.uid);
  else {
    draft.found[job.uid] = decidedAt(draft);
    if (job.job !== undefined) foldChild(draft, job.job);
  }
  const known = draft.children[job.uid];
  if (known !== undefined && isOfEarlierEpoch(known)) delete draft.children[job.uid];
}

/** Adds a Job to the removed Jobs that the status may still list. */
function addRemoved(draft: CronJobState, uid: string): void {
  if (!draft.removed.includes(uid)) draft.removed = [...draft.removed, uid];
}

/** Marks the Jobs of a look-up that the live CronJob does not list either. */
function noteUnexpected(draft: CronJobState, command: number): void {
  const asked = draft.pending[command];
  if (asked?.kind !== 'LookUpCronJob') return;
  for (const { uid } of asked.jobs) {
    const child = draft.children[uid];
    if (child !== undefined) draft.children[uid] = { ...child, unexpected: true };
  }
}
