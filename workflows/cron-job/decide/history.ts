import { nothing, sendOnly } from '../../decision/verdict.ts';
import { parseInstant } from '../../ledger/instants.ts';
import { MAX_JOBS_IN_COMMAND, type CronCommand, type CronChildRef } from '../commands.ts';
import type { Child, CronJobState } from '../state.ts';
import type { CronPlan } from './hold-back.ts';
import type { CronSituation } from './situation.ts';

/** Deletes the oldest finished Jobs beyond the limits; successful and failed Jobs are counted separately (J-9.21). */
export function deleteHistory({ state, cronJob: { spec } }: CronSituation): CronPlan {
  const jobs = [
    ...surplusJobs(state, 'Complete', spec.successfulJobsHistoryLimit),
    ...surplusJobs(state, 'Failed', spec.failedJobsHistoryLimit),
  ].slice(0, MAX_JOBS_IN_COMMAND);
  const message = `finished Jobs beyond the history limits, which are deleted: ${jobs.length}`;
  const deletion = sendOnly<CronCommand>({ kind: 'DeleteJobs', jobs, why: { rule: 'J-9.21', message } });
  return { ...(jobs.length === 0 ? nothing : deletion), heldWith: ['DeleteJobs'] };
}

/** The oldest finished Jobs of one kind of end that exceed the history limit. */
function surplusJobs(
  { children }: CronJobState,
  end: 'Complete' | 'Failed',
  limit: number | undefined,
): CronChildRef[] {
  if (limit === undefined) return [];
  const ended = Object.entries(children).filter(
    ([, { finished, deleted }]) => finished === end && deleted !== true,
  );
  return ended
    .toSorted(([, a], [, b]) => childStart(a) - childStart(b) || (a.name < b.name ? -1 : 1))
    .slice(0, Math.max(ended.length - limit, 0))
    .map(([uid, { name }]) => ({ uid, name }));
}

/** The start time by which finished Jobs are ordered; a Job that never started counts as the newest. */
function childStart({ startTime }: Child): number {
  return parseInstant(startTime) ?? Number.MAX_SAFE_INTEGER;
}
