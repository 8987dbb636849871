import { applyAnnotations } from './annotations.ts';
import { afterTheEnd, decideForOtherController, withoutJob } from './after-the-end.ts';
import { claimPods } from './pods/claiming.ts';
import { refuseUnknownMode } from './policies/completion-mode.ts';
import { manageCompletion } from './policies/completion.ts';
import { isFinished } from '../../batch/conditions.ts';
import { decideEnding, stopPods } from './ending.ts';
import { unlessHeldBack } from './hold-back.ts';
import { findLostPods } from './pods/lost-pods.ts';
import { managePods } from './pods/manage-pods.ts';
import { findOrphans, withPodListFirst } from './pods/orphans.ts';
import { planUnlessHeldBack } from './plan.ts';
import { ensureGang } from './policies/gang-scheduling.ts';
import { answerRequest } from './requests.ts';
import { isOurs, type Settings } from '../settings.ts';
import type { Situation } from './situation.ts';
import type { JobState } from '../state.ts';
import { conclude } from './status.ts';
import { takeTally, type Tally } from './tally.ts';
import { earliest, nothing } from '../../decision/verdict.ts';
import { type Verdict } from './verdict.ts';

/**
 * The commands for a Job now, and the time of the next decision. The decision depends only on state, time and
 * settings, not on the event that triggered it, so lost, repeated, merged or late events cannot change the result.
 * The order is that of Kubernetes (J-3.50).
 */
export function decide(state: JobState, now: number, settings: Settings): Verdict {
  const { job } = state;
  if (job !== null && !isOurs(settings, job.spec.managedBy))
    return decideForOtherController({ state, job, now, settings });
  if (job === null || state.jobGone)
    return unlessHeldBack({ state, now }, answerRequest(state, null) ?? withoutJob(state));
  const at: Situation = { state, job, now, settings };
  const outcome = unlessHeldBack(at, answerRequest(state, job) ?? nothing);
  // The Job continues while the API server refuses the request of a user.
  if (outcome.commands.length > 0) return outcome;
  if (isFinished(job.status)) return afterTheEnd(at);
  const first =
    refuseUnknownMode(at) ?? claimPods(at) ?? findOrphans(at) ?? ensureGang(at) ?? findLostPods(at);
  if (first !== null) return unlessHeldBack(at, first);
  const verdict = applyAnnotations(at, sync(takeTally(at)));
  return { ...verdict, nextDecisionAt: earliest(verdict.nextDecisionAt, outcome.nextDecisionAt) };
}

/** Makes steps 11 to 18 of a sync: counts pods, ends the Job or manages pods, and writes the status. */
function sync(tally: Tally): Verdict {
  const ending = decideEnding(tally);
  const plan = ending === null ? withPodListFirst(tally, managePods(tally)) : stopPods(tally, ending);
  return conclude(tally, manageCompletion(tally, planUnlessHeldBack(tally, plan)));
}
