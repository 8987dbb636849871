import { instantOf } from '../../job/definitions/instants.ts';
import type { PlacementSituation } from './situation.ts';

/** When `activeDeadlineSeconds` end, counted over all members, in milliseconds; null without one, and before the start. */
export function deadlineOf({ job, state }: PlacementSituation): number | null {
  const { activeDeadlineSeconds, suspend } = job.spec;
  const start = instantOf(state.startedAt);
  if (activeDeadlineSeconds === undefined || suspend === true || start === null) return null;
  return start + activeDeadlineSeconds * 1000;
}

/** The deadline of a member that starts now, in seconds: the whole one, or what earlier members have left of it. */
export function remainingSeconds(at: PlacementSituation): number | undefined {
  const deadline = deadlineOf(at);
  if (deadline === null) return at.job.spec.activeDeadlineSeconds;
  return Math.max(1, Math.ceil((deadline - at.now) / 1000));
}
