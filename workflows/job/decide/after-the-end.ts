import { MAX_PODS_IN_COMMAND, type ReleasePods } from '../commands.ts';
import { isFinished } from '../../batch/conditions.ts';
import { firstPossiblePlan, unlessHeldBack, type JobPlan } from './hold-back.ts';
import { podRef } from '../definitions/pod-refs.ts';
import { isOurs, type Settings } from '../settings.ts';
import type { Situation } from './situation.ts';
import type { JobState } from '../state.ts';
import { trimFailedPods } from './policies/failed-pods-limit.ts';
import { jobExpiry } from '../../batch/expiry.ts';
import { ttlAfterFinished } from './policies/ttl-after-finished.ts';
import { nothing, sendOnly } from '../../decision/verdict.ts';
import { type Verdict } from './verdict.ts';

/**
 * Decides about a Job that was never observed, or is deleted: releases its tracked pods, and counts no pod (J-3.46,
 * J-4.32).
 */
export function withoutJob(state: JobState): JobPlan {
  if (state.jobGone) return releaseAll(state, 'the Job does not exist any more');
  return sendOnly({ kind: 'LookUpJob', why: { rule: 'J-3.46', message: 'the Job was never seen' } });
}

/**
 * Decides about a finished Job. The decision releases pods that still have the finalizer of Jobledger (J-3.13,
 * J-6.37). The decision deletes the Job when its TTL has expired, even if some pods could not be released (J-10.5).
 * Otherwise the decision deletes failed pods beyond the limit (J-12.5), because the deletion of a Job also deletes
 * its pods.
 */
export function afterTheEnd(at: Situation): Verdict {
  const release = releaseAll(at.state, 'the Job has finished');
  return firstPossiblePlan(at, [release, ttlAfterFinished(at), trimFailedPods(at)]);
}

/**
 * Decides about a Job that another controller manages: Jobledger may only enforce its TTL after it finished (J-10.4).
 */
export function decideForOtherController(at: Situation): Verdict {
  return at.state.jobGone ? nothing : unlessHeldBack(at, ttlAfterFinished(at));
}

/**
 * True when the workflow of this Job may complete: the Job is deleted, or has finished without a TTL to wait for,
 * none of its pods has our finalizer, and every request is answered. Any later change of a finished Job starts
 * another run. For a Job of another controller, the workflow completes when the run need not wait for a TTL.
 */
export function isOver(state: JobState, settings: Settings): boolean {
  const { job, jobGone, requests } = state;
  const awaitsExpiry = job !== null && settings.controllers.includes('ttl') && jobExpiry(job) !== null;
  if (job !== null && !isOurs(settings, job.spec.managedBy)) return jobGone || !awaitsExpiry;
  if (trackedPods(state).length > 0 || requests.length > 0) return false;
  return jobGone || (job !== null && isFinished(job.status) && !awaitsExpiry);
}

/** A plan that releases all tracked pods. */
function releaseAll(state: JobState, message: string): JobPlan {
  const pods = trackedPods(state).slice(0, MAX_PODS_IN_COMMAND);
  if (pods.length === 0) return nothing;
  return sendOnly({ kind: 'ReleasePods', unlessAdopted: true, pods, why: { rule: 'J-3.46', message } });
}

/** The pods that have a tracking finalizer. */
function trackedPods(state: JobState): ReleasePods['pods'] {
  return Object.entries(state.pods)
    .filter(([, pod]) => pod.untracked !== true)
    .map(([uid, pod]) => podRef(state.job, uid, pod));
}
