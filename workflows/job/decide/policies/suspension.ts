import { conditionAt, suspendedCondition, withCondition } from '../../../batch/conditions.ts';
import { isSameJson } from '../../../ledger/digest.ts';
import { apiTime } from '../../../ledger/instants.ts';
import type { Condition } from '../../../kubernetes/objects.ts';
import type { StatusChange } from '../plan.ts';
import type { Tally } from '../tally.ts';

/**
 * Updates the condition `Suspended` (J-6.40 to J-6.42): a suspension clears the start time, and a resumption sets it
 * again. The value is null when the condition does not change.
 */
export function keepUpSuspended(
  { state, suspended, now }: Tally,
  conditions: readonly Condition[],
): Pick<StatusChange, 'conditions' | 'startTime' | 'events'> | null {
  const stored = conditions.find((condition) => condition.type === 'Suspended');
  const wanted = suspendedCondition(suspended);
  // A Job that was never suspended does not have the condition (J-6.42).
  if (!suspended && stored === undefined) return null;
  if (stored !== undefined && isSameJson({ ...stored, ...wanted }, stored)) return null;
  const at = apiTime(now);
  return {
    conditions: withCondition(conditions, conditionAt(at, wanted)),
    startTime: suspended ? undefined : (state.startedAt ?? at),
    events: [{ type: 'Normal', reason: suspended ? 'Suspended' : 'Resumed', message: wanted.message }],
  };
}
