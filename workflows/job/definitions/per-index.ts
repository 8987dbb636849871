import type { JobSpec } from '../../kubernetes/objects.ts';
import type { PodState } from '../state.ts';
import { matchFailure } from './failure-match.ts';

/** True for a Job with a back-off limit per index. */
export function isPerIndex({ backoffLimitPerIndex }: Pick<JobSpec, 'backoffLimitPerIndex'>): boolean {
  return backoffLimitPerIndex !== undefined;
}

/** True when this failed pod fails its index, in a Job with a back-off limit per index (J-5.52). */
export function failsIndex(spec: JobSpec, pod: PodState): boolean {
  const action = matchFailure(spec, pod)?.action;
  if (action === 'Ignore') return false;
  return action === 'FailIndex' || (pod.failureCount ?? 0) >= (spec.backoffLimitPerIndex ?? Infinity);
}

/**
 * True when, of two failed pods of an index, `later` waits for the replacement: its annotations count at least as
 * many failures, and it did not finish earlier (J-5.50).
 */
export function outlasts(later: PodState, chosen: PodState): boolean {
  return failuresBefore(later) >= failuresBefore(chosen) && (later.finished ?? 0) >= (chosen.finished ?? 0);
}

/** The number of failures that the annotations of a pod count. */
function failuresBefore({ failureCount = 0, ignoredFailureCount = 0 }: PodState): number {
  return failureCount + ignoredFailureCount;
}
