import { MAX_PODS_IN_COMMAND, type ReleasePods } from '../commands.ts';
import { isFinished } from '../definitions/conditions.ts';
import { inTurn, orHeld, type Plan } from './hold-back.ts';
import { podRef } from '../definitions/pod-refs.ts';
import { isOurs, type Settings } from '../settings.ts';
import type { Situation } from './situation.ts';
import type { JobState } from '../state.ts';
import { trimFailedPods } from './policies/failed-pods-limit.ts';
import { jobExpiry } from '../definitions/expiry.ts';
import { ttlAfterFinished } from './policies/ttl-after-finished.ts';
import { nothing, only, type Verdict } from './verdict.ts';

/**
 * A Job that was never observed, or is deleted: its tracked pods are released, and no pod is counted (J-3.46,
 * J-4.32).
 */
export function withoutJob(state: JobState): Plan {
  if (state.jobGone) return releaseAll(state, 'the Job does not exist any more');
  return only({ kind: 'LookUpJob', why: { rule: 'J-3.46', message: 'the Job was never seen' } });
}

/**
 * A finished Job: only releases pods that still have our finalizer (J-3.13, J-6.37), deletes the Job when its time to live is
 * over, whether all pods could be released or not (J-10.5), and else failed pods beyond the limit (J-12.5): a Job that is
 * deleted takes its pods along.
 */
export function afterTheEnd(at: Situation): Verdict {
  const release = releaseAll(at.state, 'the Job has finished');
  return inTurn(at, [release, ttlAfterFinished(at), trimFailedPods(at)]);
}

/** A Job that another controller manages: only its TTL after it finished may be ours (J-10.4). */
export function ofAnother(at: Situation): Verdict {
  return at.state.jobGone ? nothing : orHeld(at, ttlAfterFinished(at));
}

/**
 * True when the workflow of this Job may complete: the Job is deleted, or has finished without a TTL to wait for,
 * none of its pods has our finalizer, and every request is answered. Whatever happens to a finished Job later starts
 * another run. For a Job of another controller, the workflow completes when no TTL must be awaited.
 */
export function isOver(state: JobState, settings: Settings): boolean {
  const { job, jobGone, requests } = state;
  const awaitsExpiry = job !== null && settings.controllers.includes('ttl') && jobExpiry(job) !== null;
  if (job !== null && !isOurs(settings, job.spec.managedBy)) return jobGone || !awaitsExpiry;
  if (trackedPods(state).length > 0 || requests.length > 0) return false;
  return jobGone || (job !== null && isFinished(job.status) && !awaitsExpiry);
}

function releaseAll(state: JobState, message: string): Plan {
  const pods = trackedPods(state).slice(0, MAX_PODS_IN_COMMAND);
  if (pods.length === 0) return nothing;
  return only({ kind: 'ReleasePods', unlessAdopted: true, pods, why: { rule: 'J-3.46', message } });
}

function trackedPods(state: JobState): ReleasePods['pods'] {
  return Object.entries(state.pods)
    .filter(([, pod]) => pod.untracked !== true)
    .map(([uid, pod]) => podRef(state.job, uid, pod));
}
