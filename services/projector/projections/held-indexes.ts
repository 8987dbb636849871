import {
  difference,
  formatIndexes,
  sizeOf,
  type Indexes,
} from '../../../workflows/job/definitions/completion-indexes.ts';
import { grantedIndexes } from '../../../workflows/job/definitions/index-grant.ts';
import type { PlacementCommand } from '../../../workflows/placement/commands.ts';
import type { Held } from '../../read-model/tables/placements.ts';

/** The indexes that a command lets its member run; null when it says nothing of them. */
export function indexesGivenBy(command: PlacementCommand): string | null {
  if (command.kind === 'ChangeMember') return command.indexes?.indexes ?? null;
  if (command.kind === 'CreateMember') return command.indexes ?? null;
  return command.kind === 'RenewGuard' ? (command.part?.indexes ?? null) : null;
}

/** With what is new in these indexes; the rest is held already, and what is missing is held until it is given up. */
export function withGiven(
  held: readonly Held[] | null,
  indexes: string,
  by: Omit<Held, 'indexes' | 'until'>,
): Held[] {
  const before = held ?? [];
  const added = before
    .filter(({ until }) => until === null)
    .reduce<Indexes>((left, each) => difference(left, grantedIndexes(each)), grantedIndexes({ indexes }));
  return sizeOf(added) === 0
    ? [...before]
    : [...before, { indexes: formatIndexes(added), ...by, until: null }];
}

/** Without what the member has given up at that instant. */
export function withoutGivenUp(held: readonly Held[], of: string, until: string): Held[] {
  const given = grantedIndexes({ indexes: of });
  return held.flatMap((each) => {
    if (each.until !== null) return [each];
    const all = grantedIndexes(each);
    const left = difference(all, given);
    const gone = difference(all, left);
    return [
      ...(sizeOf(left) > 0 ? [{ ...each, indexes: formatIndexes(left) }] : []),
      ...(sizeOf(gone) > 0 ? [{ ...each, indexes: formatIndexes(gone), until }] : []),
    ];
  });
}
