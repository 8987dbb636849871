import type { Reason } from '../../../decision/reason.ts';
import type { Ending } from '../../../batch/ending.ts';
import type { JobState } from '../../state.ts';

/**
 * The end of a Job in which a pod failed in a way that fails the Job (J-3.52.3). The state keeps this failure, so
 * that the decision stays the same when deletions are refused and the state then forgets the pod (B-5).
 */
export function podFailurePolicyViolated({ state: { failJob } }: { state: JobState }): Ending | null {
  if (failJob === null) return null;
  const { message } = failJob;
  const why: Reason = { rule: 'J-6.10', message };
  return { type: 'Failed', reason: 'PodFailurePolicy', message, isStored: false, why };
}
