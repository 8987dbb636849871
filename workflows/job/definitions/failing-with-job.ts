import { hasPlace } from '../../batch/completion-indexes.ts';
import { isTerminal } from './pod-phase.ts';
import type { EndType } from '../../batch/conditions.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { isIgnored } from './failure-match.ts';
import type { JobState, PodState } from '../state.ts';

/**
 * Pods that count as failed because the Job ends: pods that waited for a replacement and, if the Job fails, pods that
 * still run (J-4.5, J-5.50). The pods are in the order of the state, so that a lost outcome is attributed to the same
 * pods.
 */
export function podsFailingWith(
  state: JobState,
  job: JobFacts,
  ending: EndType,
): { uid: string; pod: PodState }[] {
  const { succeeded, failed } = state.uncounted;
  const uncounted = new Set([...succeeded, ...failed]);
  const delayed = new Set(Object.values(state.delayed));
  return Object.entries(state.pods)
    .map(([uid, pod]) => ({ uid, pod }))
    .filter(({ uid, pod }) => pod.counted !== true && pod.untracked !== true && !uncounted.has(uid))
    .filter(({ pod }) => pod.claim === undefined && hasPlace(job.spec, pod.index))
    .filter(({ uid, pod }) => delayed.has(uid) || (ending === 'Failed' && !isTerminal(pod.phase)))
    .filter(({ pod }) => !isIgnored(job.spec, pod));
}
