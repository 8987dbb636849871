import { conditionAt, withCondition } from '../../definitions/conditions.ts';
import { apiTime } from '../../definitions/instants.ts';
import type { EmitEvents } from '../../commands.ts';
import type { StatusDraft } from '../plan.ts';
import type { Tally } from '../tally.ts';

type EventOnJob = EmitEvents['events'][number];

/**
 * Updates the condition `Suspended` (J-6.40 to J-6.42): suspending clears the start time, resuming sets it anew. Returns
 * the Event if the condition changes.
 */
export function keepUpSuspended({ state, suspended, now }: Tally, draft: StatusDraft): EventOnJob | null {
  const stored = draft.conditions.find((condition) => condition.type === 'Suspended');
  const wanted = suspended
    ? { status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  // A Job that was never suspended does not have the condition (J-6.42).
  if (!suspended && stored === undefined) return null;
  if (
    stored?.status === wanted.status &&
    stored.reason === wanted.reason &&
    stored.message === wanted.message
  )
    return null;
  const at = apiTime(now);
  draft.conditions = withCondition(draft.conditions, conditionAt(at, { type: 'Suspended', ...wanted }));
  draft.startTime = suspended ? undefined : (state.startedAt ?? at);
  return { type: 'Normal', reason: suspended ? 'Suspended' : 'Resumed', message: wanted.message };
}
