import type { JobPlan } from '../hold-back.ts';
import { MAX_PODS_IN_COMMAND } from '../../commands.ts';
import { podRef } from '../../definitions/pod-refs.ts';
import type { JobState, PodState } from '../../state.ts';
import type { Situation } from '../situation.ts';
import { sendOnly } from '../../../decision/verdict.ts';

/** The age, in seconds, at which a created pod that was not observed is looked up. */
const UNSEEN_LIMIT = 60;

/**
 * Looks up created pods that were not observed for a long time, because a pod that was deleted before it was observed
 * would stay active forever. Kubernetes forgets such a creation after five minutes (J-3.21); Jobledger reads the pod,
 * and reads it again whenever its age has doubled.
 */
export function findLostPods({ state, job, now }: Situation): JobPlan | null {
  const lost = Object.entries(state.pods)
    .filter(([, pod]) => dueAt(pod) <= now)
    .slice(0, MAX_PODS_IN_COMMAND);
  if (lost.length === 0) return null;
  const pods = lost.map(([uid, pod]) => podRef(job, uid, pod));
  return sendOnly({
    kind: 'LookUpPods',
    pods,
    why: { rule: 'J-3.21', message: 'created a minute ago and not observed since' },
  });
}

/** The time of the next look-up, in milliseconds; null when no look-up is due. */
export function nextLookUp(state: JobState): number | null {
  const next = Object.values(state.pods).reduce((soonest, pod) => Math.min(soonest, dueAt(pod)), Infinity);
  return next === Infinity ? null : next;
}

/**
 * The time at which a created pod must be looked up, in milliseconds; Infinity for a pod that has been observed, or
 * is known to be gone.
 */
function dueAt({ unseen, readAt, created, gone }: PodState): number {
  if (gone === true) return Infinity;
  if (unseen === true) return (created + UNSEEN_LIMIT) * 1000;
  if (readAt === undefined) return Infinity;
  return (readAt + Math.max(UNSEEN_LIMIT, readAt - created)) * 1000;
}
