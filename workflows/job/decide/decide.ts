import { heedAnnotations } from './annotations.ts';
import { afterTheEnd, ofAnother, withoutJob } from './after-the-end.ts';
import { claimPods } from './pods/claiming.ts';
import { refuseUnknownMode } from './policies/completion-mode.ts';
import { manageCompletion } from './policies/completion.ts';
import { endingOf, stopPods } from './ending.ts';
import { findLostPods } from './pods/lost-pods.ts';
import { managePods } from './pods/manage-pods.ts';
import { findOrphans } from './pods/orphans.ts';
import { ensureGang } from './policies/gang-scheduling.ts';
import { answerRequests } from './requests.ts';
import { isOurs, type Settings } from '../settings.ts';
import type { JobState } from '../state.ts';
import { conclude } from './status.ts';
import { tallyOf, type Tally } from './tally.ts';
import type { Verdict } from './verdict.ts';

/**
 * What to do for a Job now, and when to decide again. It depends on state, time and settings only, not on the event that
 * triggered it, so lost, repeated, merged or late events cannot change the result. The order is upstream's (J-3.50).
 */
export function decide(state: JobState, now: number, settings: Settings): Verdict {
  const { job } = state;
  if (job !== null && !isOurs(settings, job.spec.managedBy)) return ofAnother(state, job, now, settings);
  if (job === null || state.jobGone) return answerRequests(state, null, now) ?? withoutJob(state, now);
  return (
    answerRequests(state, job, now) ??
    afterTheEnd(state, job, now, settings) ??
    refuseUnknownMode(state, job) ??
    claimPods(state, job, now, settings) ??
    findOrphans(state, job, now) ??
    ensureGang(state, job, now, settings) ??
    findLostPods(state, job, now) ??
    heedAnnotations(state, job, now, settings, sync(tallyOf(state, job, now, settings)))
  );
}

/** Steps 11 to 18 of a sync: count pods, end the Job or manage pods, write the status. */
function sync(tally: Tally): Verdict {
  const ending = endingOf(tally);
  const plan = ending === null ? managePods(tally) : stopPods(tally, ending);
  return conclude(tally, manageCompletion(tally, plan));
}
