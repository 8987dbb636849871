import { parseInstant } from '../../ledger/instants.ts';
import type { PlacementGrant } from '../state.ts';
import type { PlacementSituation } from './situation.ts';

/**
 * The instant at which `activeDeadlineSeconds` end, counted over all members, in milliseconds; null without a
 * deadline, and before the start.
 */
export function placedDeadline({ job, state }: PlacementSituation): number | null {
  const { activeDeadlineSeconds, suspend } = job.spec;
  const start = parseInstant(state.startedAt);
  if (activeDeadlineSeconds === undefined || suspend === true || start === null) return null;
  return start + activeDeadlineSeconds * 1000;
}

/** The longest deadline in seconds; the API server would refuse the rounded number of a longer deadline. */
const LONGEST_SECONDS = Number.MAX_SAFE_INTEGER;

/** The deadline of a member that starts now, in seconds: the whole deadline of the Job, or the seconds that earlier members have left. */
export function remainingSeconds(at: PlacementSituation): number | undefined {
  const { activeDeadlineSeconds } = at.job.spec;
  if (activeDeadlineSeconds === undefined) return undefined;
  const deadline = placedDeadline(at);
  return deadline === null
    ? Math.min(activeDeadlineSeconds, LONGEST_SECONDS)
    : secondsUntil(deadline, at.now);
}

/**
 * The deadline of a running member, in seconds from its own start: the deadline that the member was given, until the
 * deadline of the Job changes. The value is undefined when the Job has no deadline.
 */
export function deadlineOfRunning(
  at: PlacementSituation,
  { deadline: given, member }: PlacementGrant,
): number | undefined {
  const { activeDeadlineSeconds } = at.job.spec;
  if (given !== undefined && given.jobSeconds === activeDeadlineSeconds) return given.seconds;
  const [deadline, start] = [placedDeadline(at), parseInstant(member?.status.startTime)];
  return deadline === null || start === null ? remainingSeconds(at) : secondsUntil(deadline, start);
}

/** The seconds until a deadline, at least 1 and at most the longest deadline. */
function secondsUntil(deadline: number, from: number): number {
  return Math.min(Math.max(1, Math.ceil((deadline - from) / 1000)), LONGEST_SECONDS);
}
