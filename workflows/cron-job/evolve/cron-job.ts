import { parseInstant } from '../../ledger/instants.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import type { CronJobFacts } from '../facts.ts';
import type { CronJobState } from '../state.ts';
import { dropForeign } from './children.ts';

/** Folds an observed CronJob; returns false for a repeat. */
export function foldCronJob(draft: CronJobState, cronJob: CronJobFacts): boolean {
  if (isGone(draft) || compareVersions(cronJob.resourceVersion, draft.versions.cronJob) <= 0) return false;
  draft.gone = false;
  const before = draft.cronJob;
  draft.versions.cronJob = cronJob.resourceVersion;
  draft.cronJob = cronJob;
  if (before === null) dropForeign(draft, cronJob);
  else if (before.generation !== cronJob.generation) {
    // The change is not a change of the schedule, so starts that are due are made at once (J-9.11).
    draft.rescheduled =
      before.spec.schedule !== cronJob.spec.schedule || before.spec.timeZone !== cronJob.spec.timeZone;
    draft.hold = null;
    draft.taken = null;
    draft.retries = {};
  }
  forgetListedJobs(draft, cronJob);
  return true;
}

/** Forgets the started, removed and found Jobs that the status on the server already accounts for. */
function forgetListedJobs(draft: CronJobState, { status }: CronJobFacts): void {
  const listed = new Set(status.active?.map(({ uid }) => uid));
  const last = parseInstant(status.lastScheduleTime) ?? -Infinity;
  draft.started = draft.started.filter(({ scheduledAt }) => (parseInstant(scheduledAt) ?? 0) > last);
  if (last >= (parseInstant(draft.lastStart) ?? -Infinity)) draft.lastStart = null;
  const unlisted = new Set(draft.started.map(({ uid }) => uid));
  draft.removed = draft.removed.filter((uid) => listed.has(uid) || unlisted.has(uid));
  draft.found = Object.fromEntries(Object.entries(draft.found).filter(([uid]) => listed.has(uid)));
}

/**
 * True when the CronJob was deleted in the present epoch; a copy of the API server may be older than the deletion.
 */
function isGone({ gone, versions }: CronJobState): boolean {
  return gone && versions.cronJob !== '';
}

/** Folds the deletion of the CronJob; returns false for a repeat. */
export function foldGone(draft: CronJobState, resourceVersion: string): boolean {
  if (isGone(draft)) return false;
  draft.versions.cronJob = resourceVersion;
  draft.gone = true;
  return true;
}
