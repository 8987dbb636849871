import type { Condition, JobStatus } from '../../kubernetes/objects.ts';

/** Condition types that the Job controller owns; others are somebody else's and kept (J-1.23). */
const OWN_TYPES = new Set(['Suspended', 'Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet']);

export function isOwnCondition(condition: Condition): boolean {
  return OWN_TYPES.has(condition.type);
}

/** Complete or Failed (J-0.4). */
export function isFinished(status: JobStatus): boolean {
  return trueCondition(status, 'Complete') !== undefined || trueCondition(status, 'Failed') !== undefined;
}

export function trueCondition(status: JobStatus, type: string): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** A condition of ours, with both times at this instant (J-1.23). */
export function conditionAt(
  at: string,
  condition: { type: string; status: string; reason: string; message: string },
): Condition {
  return {
    type: condition.type,
    status: condition.status,
    lastProbeTime: at,
    lastTransitionTime: at,
    reason: condition.reason,
    message: condition.message,
  };
}

/** The list with this condition: in place of the one of its type (B-8), else appended (J-6.34). */
export function withCondition(conditions: readonly Condition[], condition: Condition): Condition[] {
  const at = conditions.findIndex((each) => each.type === condition.type);
  return at < 0 ? [...conditions, condition] : conditions.with(at, condition);
}
