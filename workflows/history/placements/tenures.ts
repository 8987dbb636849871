import {
  contains,
  difference,
  overlapOf,
  sizeOf,
  type Indexes,
} from '../../job/definitions/completion-indexes.ts';
import type { RecordedGrant } from './grants.ts';

/** The time for which a member of a spread Job could run some indexes (J-17.7). Instants are milliseconds, by the clocks of Jobledger. */
export interface Tenure {
  indexes: Indexes;
  since: number;
  /** The number of the decision that gave them. */
  given: number;
  /** The indexes that were recorded as completed in any cluster before. */
  completedBefore: Indexes;
  /** When a list showed that no pod of them is left, by which decision; null while the member holds them. */
  until: { at: number; decided: number } | null;
}

/** The tenures after the member was given these indexes; those that it holds already have a tenure. */
export function given(
  tenures: readonly Tenure[],
  all: Indexes,
  by: Pick<Tenure, 'since' | 'given' | 'completedBefore'>,
): readonly Tenure[] {
  const held = tenures.filter(({ until }) => until === null);
  const added = held.reduce<Indexes>((left, { indexes }) => difference(left, indexes), all);
  return sizeOf(added) === 0 ? tenures : [...tenures, { ...by, indexes: added, until: null }];
}

/** The tenures after the member has given these indexes up. */
export function givenUp(
  tenures: readonly Tenure[],
  of: Indexes,
  until: { at: number; decided: number },
): readonly Tenure[] {
  return tenures.flatMap((tenure) => {
    if (tenure.until !== null) return [tenure];
    const left = difference(tenure.indexes, of);
    const gone = difference(tenure.indexes, left);
    return [
      ...(sizeOf(left) > 0 ? [{ ...tenure, indexes: left }] : []),
      ...(sizeOf(gone) > 0 ? [{ ...tenure, indexes: gone, until }] : []),
    ];
  });
}

/** What the right of a cluster to run a pod was. */
export interface Right {
  since: number;
  completedBefore: Indexes;
  end: { at: number; basis: 'given up' | NonNullable<RecordedGrant['end']>['basis'] } | null;
}

/** The right to run this index at that time; null when the cluster never had it. */
export function rightTo(
  { since, completedBefore, end, tenures }: RecordedGrant,
  { index, startedAt }: { index: number | null; startedAt: number },
): Right | null {
  if (tenures === null || index === null) return { since, completedBefore, end };
  const ofIndex = tenures.filter(({ indexes }) => contains(indexes, index));
  const last = ofIndex.findLast((each) => each.since <= startedAt) ?? ofIndex[0];
  if (last === undefined) return null;
  const until = last.until === null ? end : { at: last.until.at, basis: 'given up' as const };
  return { since: last.since, completedBefore: last.completedBefore, end: until };
}

/** Whether both could run an index at once, by the order of the decisions; null when not, else how many indexes. */
export function sharedBy(earlier: RecordedGrant, later: RecordedGrant): number | null {
  const isOpenAt = (end: { decided: number } | null, decision: number): boolean =>
    end === null || end.decided > decision;
  if (earlier.tenures === null || later.tenures === null)
    return isOpenAt(earlier.end, later.given) ? 0 : null;
  let shared = 0;
  for (const one of earlier.tenures)
    for (const other of later.tenures) {
      const [first, second] = one.given <= other.given ? [one, other] : [other, one];
      const end = first.until ?? (first === one ? earlier.end : later.end);
      if (isOpenAt(end, second.given)) shared += overlapOf(one.indexes, other.indexes);
    }
  return shared === 0 ? null : shared;
}
