import type { JobSpec } from '../../kubernetes/objects.ts';
import type { PodState } from '../state.ts';

/**
 * True when a pod is counted as failed and replaced only in phase Failed (J-0.4 replace-failed-only). When this is
 * false, a pod counts as failed as soon as it is being deleted (J-4.19, J-5.37).
 */
export function replacesFailedOnly(
  spec: Pick<JobSpec, 'podReplacementPolicy' | 'podFailurePolicy'>,
): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

/** True when a pod counts as failed (J-0.4 considered-failed). */
export function isConsideredFailed(spec: JobSpec, { phase, deleting }: PodState): boolean {
  if (phase === 'Failed') return true;
  return deleting === true && phase !== 'Succeeded' && !replacesFailedOnly(spec);
}
