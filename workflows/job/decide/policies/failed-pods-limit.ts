import type { JobPlan } from '../hold-back.ts';
import { FAILED_PODS_LIMIT } from '../../../kubernetes/names.ts';
import type { PodRef } from '../../commands.ts';
import type { JobState } from '../../state.ts';
import type { Situation } from '../situation.ts';
import { nothing, sendOnly } from '../../../decision/verdict.ts';

/**
 * Deletes the oldest failed pods beyond `jobledger.dev/failed-pods-limit` (J-12.5, J-12.8). Only pods that are
 * counted and released are deleted, so a pod that waits for its replacement is never deleted (J-5.50). The deletion
 * is the last command, so that its refusal skips no other command.
 */
export function trimFailedPods({ state, job, settings }: Situation): JobPlan {
  const { failedPodsLimit } = job.annotations ?? {};
  // Under OnFailure, the limit does not apply (J-12.4); the pods of a Job that is being deleted are deleted together
  // with the Job.
  if (failedPodsLimit === undefined || job.restartPolicy === 'OnFailure' || job.deleting) return nothing;
  const pods = oldestBeyond(failedPodsLimit, state).slice(0, settings.maxPodsPerSync);
  if (pods.length === 0) return nothing;
  const message = `failed pods: ${Object.keys(state.keptPods).length}, kept by ${FAILED_PODS_LIMIT}: ${failedPodsLimit}`;
  return sendOnly({ kind: 'DeletePods', untrack: false, pods, why: { rule: 'J-12.5', message } });
}

/** The oldest failed pods beyond the limit, by finish time; the UID breaks ties, so that the order is stable. */
function oldestBeyond(limit: number, { keptPods }: JobState): PodRef[] {
  return Object.entries(keptPods)
    .toSorted(([a, one], [b, other]) => one.finished - other.finished || (a < b ? -1 : 1))
    .slice(0, Math.max(0, Object.keys(keptPods).length - limit))
    .map(([uid, { name }]) => ({ uid, name }));
}
