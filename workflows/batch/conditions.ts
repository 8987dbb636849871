import { INDEXES_KEPT } from '../kubernetes/names.ts';
import type { Condition, JobStatus } from '../kubernetes/objects.ts';

/** The end of a Job as the type of its terminal condition. */
export type EndType = 'Complete' | 'Failed';

/**
 * The type of the interim condition for each end. A Job has the interim condition from the decision that it ends until
 * all its pods have ended and are counted; it then gets the terminal condition (J-6.39).
 */
export const INTERIM_CONDITION: Readonly<Record<EndType, string>> = {
  Complete: 'SuccessCriteriaMet',
  Failed: 'FailureTarget',
};

/** Condition types that the Job controller owns; other types belong to other controllers and are kept (J-1.23). */
const OWN_TYPES = new Set([
  'Suspended',
  'Complete',
  'Failed',
  'FailureTarget',
  'SuccessCriteriaMet',
  // The condition in which a Job acknowledges the indexes that it may run (index-grant.ts).
  INDEXES_KEPT,
]);

/** True for a condition that the Job controller owns. */
export function isOwnCondition(condition: Condition): boolean {
  return OWN_TYPES.has(condition.type);
}

/** True for a Job that is Complete or Failed (J-0.4). */
export function isFinished(status: JobStatus): boolean {
  return terminalCondition(status) !== undefined;
}

/** The first condition Complete or Failed that is True. */
export function terminalCondition(status: JobStatus): Condition | undefined {
  return status.conditions?.find(({ type, status: value }) => isEndType(type) && value === 'True');
}

/** The first condition, interim or terminal, that is True and shows how the Job ends. */
export function endingCondition(status: JobStatus): Condition | undefined {
  return status.conditions?.find(({ type, status: value }) => toEndType(type) !== null && value === 'True');
}

/** The end of a Job that has a condition of this type; null for types that do not mean an end. */
export function toEndType(type: string): EndType | null {
  if (isEndType(type)) return type;
  if (type === INTERIM_CONDITION.Complete) return 'Complete';
  return type === INTERIM_CONDITION.Failed ? 'Failed' : null;
}

/** The condition of this type that is True. */
export function trueCondition(status: JobStatus, type: string): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** The fields of the condition `Suspended`, except for its times (J-6.40, J-6.41). */
export function suspendedCondition(isSuspended: boolean): OwnCondition {
  return isSuspended
    ? { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };
}

/** A condition that Jobledger sets, except for its times. */
interface OwnCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

/** A condition that Jobledger sets, with both times at this instant (J-1.23). */
export function conditionAt(at: string, condition: OwnCondition): Condition {
  return {
    type: condition.type,
    status: condition.status,
    lastProbeTime: at,
    lastTransitionTime: at,
    reason: condition.reason,
    message: condition.message,
  };
}

/** The list with this condition: it replaces the condition of the same type (B-8), or is appended (J-6.34). */
export function withCondition(conditions: readonly Condition[], condition: Condition): Condition[] {
  const at = conditions.findIndex((each) => each.type === condition.type);
  return at < 0 ? [...conditions, condition] : conditions.with(at, condition);
}

/** True for the type of a terminal condition. */
function isEndType(type: string): type is EndType {
  return type === 'Complete' || type === 'Failed';
}
