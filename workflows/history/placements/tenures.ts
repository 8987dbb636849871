import { difference, sizeOf, type Indexes } from '../../job/definitions/completion-indexes.ts';

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
