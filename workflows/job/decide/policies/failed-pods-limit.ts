import { FAILED_PODS_LIMIT } from '../../../kubernetes/names.ts';
import type { PodRef } from '../../commands.ts';
import type { JobFacts } from '../../facts.ts';
import type { Settings } from '../../settings.ts';
import type { JobState } from '../../state.ts';
import { apiErrorDelay } from '../api-retry.ts';
import { earlier, type Verdict } from '../verdict.ts';

/**
 * Adds the deletion of the oldest failed pods beyond `jobledger.dev/failed-pods-limit` (J-12.5, J-12.8). Only pods that are
 * counted and released are deleted, so never one that waits for its replacement (J-5.50). Comes last: if the API server
 * refuses it, nothing else is skipped.
 */
export function trimFailedPods(
  state: JobState,
  job: JobFacts,
  now: number,
  settings: Settings,
  verdict: Verdict,
): Verdict {
  const { failedPodsLimit } = job.annotations ?? {};
  // Under OnFailure the limit does not apply (J-12.4); the pods of a Job that is being deleted go with it.
  if (failedPodsLimit === undefined || job.restartPolicy === 'OnFailure' || job.deleting) return verdict;
  const pods = oldestBeyond(failedPodsLimit, state).slice(0, settings.maxPodsPerSync);
  if (pods.length === 0) return verdict;
  const held = apiErrorDelay(state, now, ['DeletePods']);
  if (held !== null) {
    const lookAgainAt = earlier(verdict.lookAgainAt, held.lookAgainAt);
    return { ...verdict, lookAgainAt, waiting: verdict.waiting ?? held.waiting };
  }
  const words = `failed pods: ${Object.keys(state.keptPods).length}, kept by ${FAILED_PODS_LIMIT}: ${failedPodsLimit}`;
  const why = { rule: 'J-12.5' as const, words };
  return { ...verdict, commands: [...verdict.commands, { kind: 'DeletePods', untrack: false, pods, why }] };
}

/** By finish time; the UID breaks ties, so that the order is stable. */
function oldestBeyond(limit: number, { keptPods }: JobState): PodRef[] {
  return Object.entries(keptPods)
    .toSorted(([a, one], [b, other]) => one.finished - other.finished || (a < b ? -1 : 1))
    .slice(0, Math.max(0, Object.keys(keptPods).length - limit))
    .map(([uid, { name }]) => ({ uid, name }));
}
