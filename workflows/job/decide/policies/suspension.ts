import { conditionAt, withCondition } from '../../definitions/conditions.ts';
import { apiTime } from '../../definitions/instants.ts';
import type { EmitEvents } from '../../commands.ts';
import type { StatusDraft } from '../plan.ts';
import type { Tally } from '../tally.ts';

type EventOnJob = EmitEvents['events'][number];

/**
 * Keeps up the condition `Suspended` of a Job that goes on (J-6.40 to J-6.42): true clears the start time, false
 * starts it anew. Returns the Event of a change.
 */
export function keepUpSuspended({ suspended, now }: Tally, draft: StatusDraft): EventOnJob | null {
  const stored = draft.conditions.find((condition) => condition.type === 'Suspended');
  const wish = suspended
    ? { status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  // A Job that was never suspended has no such condition (J-6.42).
  if (!suspended && stored === undefined) return null;
  if (stored?.status === wish.status && stored.reason === wish.reason && stored.message === wish.message)
    return null;
  const at = apiTime(now);
  draft.conditions = withCondition(draft.conditions, conditionAt(at, { type: 'Suspended', ...wish }));
  draft.startTime = suspended ? undefined : at;
  return { type: 'Normal', reason: suspended ? 'Suspended' : 'Resumed', message: wish.message };
}
