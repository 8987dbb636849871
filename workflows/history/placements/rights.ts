import { contains, countOverlap, type Indexes } from '../../batch/completion-indexes.ts';
import type { RecordedGrant } from './recorded-grants.ts';

/** The right of a cluster to run a pod. */
export interface RightToRun {
  since: number;
  completedBefore: Indexes;
  end: { at: number; reason: 'given up' | NonNullable<RecordedGrant['end']>['reason'] } | null;
}

/** The right to run this index at that time; null when the cluster never had this right. */
export function findRightToRun(
  { since, completedBefore, end, tenures }: RecordedGrant,
  { index, startedAt }: { index: number | null; startedAt: number },
): RightToRun | null {
  if (tenures === null || index === null) return { since, completedBefore, end };
  const ofIndex = tenures.filter(({ indexes }) => contains(indexes, index));
  const last = ofIndex.findLast((each) => each.since <= startedAt) ?? ofIndex[0];
  if (last === undefined) return null;
  const until = last.until === null ? end : { at: last.until.at, reason: 'given up' as const };
  return { since: last.since, completedBefore: last.completedBefore, end: until };
}

/**
 * The number of indexes that both members could run at the same time, by the order of the decisions; null when the
 * members had no index in common.
 */
export function countSharedIndexes(earlier: RecordedGrant, later: RecordedGrant): number | null {
  /** True when a right had not ended at the decision with this number. */
  const isOpenAt = (end: { decided: number } | null, decision: number): boolean =>
    end === null || end.decided > decision;
  if (earlier.tenures === null || later.tenures === null)
    return isOpenAt(earlier.end, later.given) ? 0 : null;
  let shared = 0;
  for (const one of earlier.tenures)
    for (const other of later.tenures) {
      const [first, second] = one.given <= other.given ? [one, other] : [other, one];
      const end = first.until ?? (first === one ? earlier.end : later.end);
      if (isOpenAt(end, second.given)) shared += countOverlap(one.indexes, other.indexes);
    }
  return shared === 0 ? null : shared;
}
