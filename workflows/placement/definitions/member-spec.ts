import type { JobSpec } from '../../kubernetes/objects.ts';
import type { MemberSpec } from '../facts.ts';

/** The fields of a member's spec that follow the spec of the placed Job. */
export function memberSpec({
  parallelism,
  completions,
  suspend,
  activeDeadlineSeconds,
  backoffLimit,
  maxFailedIndexes,
  podReplacementPolicy,
}: Omit<JobSpec, 'selector'>): MemberSpec {
  return {
    ...(parallelism !== undefined && { parallelism }),
    ...(completions !== undefined && { completions }),
    ...(suspend === true && { suspend }),
    ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
    ...(backoffLimit !== undefined && { backoffLimit }),
    ...(maxFailedIndexes !== undefined && { maxFailedIndexes }),
    ...(podReplacementPolicy !== undefined && { podReplacementPolicy }),
  };
}
