import { parseIndexes, countIndexes } from '../../batch/completion-indexes.ts';
import { endingCondition, toEndType } from '../../batch/conditions.ts';
import type { Condition } from '../../kubernetes/objects.ts';
import type { MemberFacts } from '../facts.ts';
import type { PlacementGrant } from '../state.ts';
import { placedDeadline } from './deadline.ts';
import type { PlacementSituation } from './situation.ts';

/**
 * The condition with which a member ends the Job; undefined without such a condition. The value is also undefined
 * when the member has ended by an earlier spec: the Job was scaled up, or its limit was raised, before the change
 * reached the member (J-16.7).
 */
export function endOfJob(at: PlacementSituation, grant: PlacementGrant): Condition | undefined {
  const { member } = grant;
  const end = endingCondition(member?.status ?? {});
  if (end === undefined || member === null) return undefined;
  const isOfNow = toEndType(end.type) === 'Complete' ? hasCompleted : hasFailed;
  return isOfNow(at, grant, member, end) ? end : undefined;
}

type OfNow = (at: PlacementSituation, grant: PlacementGrant, member: MemberFacts, end: Condition) => boolean;

/** True when the completion of the member completes the Job by its present spec. */
const hasCompleted: OfNow = ({ job }, _grant, { status }, { reason }) => {
  const { completionMode, completions = 0 } = job.spec;
  if (completionMode !== 'Indexed' || reason === 'SuccessPolicy') return true;
  return countIndexes(parseIndexes(status.completedIndexes ?? '', completions)) >= completions;
};

/** True when the failure of the member fails the Job by its present spec. */
const hasFailed: OfNow = (at, grant, { spec: had, status }, { reason }) => {
  const { backoffLimit = Infinity, maxFailedIndexes = Infinity, activeDeadlineSeconds } = at.job.spec;
  switch (reason) {
    case 'BackoffLimitExceeded':
      return backoffLimit <= (had.backoffLimit ?? Infinity) || (status.failed ?? 0) > backoffLimit;
    case 'MaxFailedIndexesExceeded':
      return maxFailedIndexes <= (had.maxFailedIndexes ?? Infinity);
    case 'DeadlineExceeded':
      return (
        activeDeadlineSeconds === grant.deadline?.jobSeconds || (placedDeadline(at) ?? Infinity) <= at.now
      );
    case 'PlacedJobFailed':
      return false;
    case undefined:
    default:
      return true;
  }
};
