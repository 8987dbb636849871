import { heedAnnotations } from './annotations.ts';
import { afterTheEnd, ofAnother, withoutJob } from './after-the-end.ts';
import { claimPods } from './pods/claiming.ts';
import { refuseUnknownMode } from './policies/completion-mode.ts';
import { manageCompletion } from './policies/completion.ts';
import { isFinished } from '../definitions/conditions.ts';
import { decideEnding, stopPods } from './ending.ts';
import { orHeld } from './hold-back.ts';
import { findLostPods } from './pods/lost-pods.ts';
import { managePods } from './pods/manage-pods.ts';
import { findOrphans, listedBefore } from './pods/orphans.ts';
import { planOrHeld } from './plan.ts';
import { ensureGang } from './policies/gang-scheduling.ts';
import { answerRequest } from './requests.ts';
import { isOurs, type Settings } from '../settings.ts';
import type { Situation } from './situation.ts';
import type { JobState } from '../state.ts';
import { conclude } from './status.ts';
import { takeTally, type Tally } from './tally.ts';
import { earliest, nothing, type Verdict } from './verdict.ts';

/**
 * The commands for a Job now, and the time of the next decision. The decision depends on state, time and settings
 * only, not on the event that triggered it, so lost, repeated, merged or late events cannot change the result. The
 * order is upstream's (J-3.50).
 */
export function decide(state: JobState, now: number, settings: Settings): Verdict {
  const { job } = state;
  if (job !== null && !isOurs(settings, job.spec.managedBy)) return ofAnother({ state, job, now, settings });
  if (job === null || state.jobGone)
    return orHeld({ state, now }, answerRequest(state, null) ?? withoutJob(state));
  const at: Situation = { state, job, now, settings };
  const outcome = orHeld(at, answerRequest(state, job) ?? nothing);
  // While the API server refuses what a user asked for, the Job continues.
  if (outcome.commands.length > 0) return outcome;
  if (isFinished(job.status)) return afterTheEnd(at);
  const first =
    refuseUnknownMode(at) ?? claimPods(at) ?? findOrphans(at) ?? ensureGang(at) ?? findLostPods(at);
  if (first !== null) return orHeld(at, first);
  const verdict = heedAnnotations(at, sync(takeTally(at)));
  return { ...verdict, nextDecisionAt: earliest(verdict.nextDecisionAt, outcome.nextDecisionAt) };
}

/** Steps 11 to 18 of a sync: count pods, end the Job or manage pods, write the status. */
function sync(tally: Tally): Verdict {
  const ending = decideEnding(tally);
  const plan = ending === null ? listedBefore(tally, managePods(tally)) : stopPods(tally, ending);
  return conclude(tally, manageCompletion(tally, planOrHeld(tally, plan)));
}
