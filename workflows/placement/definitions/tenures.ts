import { difference, countIndexes, type Indexes } from '../../batch/completion-indexes.ts';
import type { PlacementCommand } from '../commands.ts';

/**
 * The time during which a member of a spread Job could run some indexes (J-17.7); `until` is null while the member
 * has the indexes.
 */
export type Tenure<By extends object, Until> = By & {
  indexes: Indexes;
  until: Until | null;
};

/**
 * The indexes that a command lets its member run, in the form of a status; null when the command does not name
 * indexes. The member has the indexes that the command takes back until it has given them up.
 */
export function indexesGivenBy(command: PlacementCommand): string | null {
  if (command.kind === 'ChangeMember') return command.indexes?.indexes ?? null;
  if (command.kind === 'CreateMember') return command.indexes ?? null;
  return command.kind === 'RenewGuard' ? (command.part?.indexes ?? null) : null;
}

/** The tenures after the member was given these indexes; indexes that the member already has have a tenure. */
export function tenuresWith<By extends object, Until>(
  tenures: readonly Tenure<By, Until>[],
  all: Indexes,
  by: By,
): readonly Tenure<By, Until>[] {
  const held = tenures.filter(({ until }) => until === null);
  const added = held.reduce<Indexes>((left, { indexes }) => difference(left, indexes), all);
  return countIndexes(added) === 0 ? tenures : [...tenures, { ...by, indexes: added, until: null }];
}

/** The tenures after the member has given up these indexes. */
export function tenuresWithout<By extends object, Until>(
  tenures: readonly Tenure<By, Until>[],
  of: Indexes,
  until: Until,
): readonly Tenure<By, Until>[] {
  return tenures.flatMap((tenure) => {
    if (tenure.until !== null) return [tenure];
    const left = difference(tenure.indexes, of);
    const gone = difference(tenure.indexes, left);
    return [
      ...(countIndexes(left) > 0 ? [{ ...tenure, indexes: left }] : []),
      ...(countIndexes(gone) > 0 ? [{ ...tenure, indexes: gone, until }] : []),
    ];
  });
}
