import { formatIndexes } from '../../../workflows/job/definitions/completion-indexes.ts';
import { grantedIndexes } from '../../../workflows/job/definitions/index-grant.ts';
import { given, givenUp, type Tenure } from '../../../workflows/placement/definitions/tenures.ts';
import type { Held } from '../../read-model/tables/placements.ts';

type HeldTenure = Tenure<Omit<Held, 'indexes' | 'until'>, string>;

/** The rows after the member was given these indexes. */
export function withGiven(
  held: readonly Held[] | null,
  indexes: string,
  by: Omit<Held, 'indexes' | 'until'>,
): Held[] {
  return written(given(read(held ?? []), grantedIndexes({ indexes }), by));
}

/** The rows after the member has given these indexes up, at that instant. */
export function withoutGivenUp(held: readonly Held[], of: string, until: string): Held[] {
  return written(givenUp(read(held), grantedIndexes({ indexes: of }), until));
}

function read(held: readonly Held[]): HeldTenure[] {
  return held.map((each) => ({ ...each, indexes: grantedIndexes(each) }));
}

function written(tenures: readonly HeldTenure[]): Held[] {
  return tenures.map((each) => ({ ...each, indexes: formatIndexes(each.indexes) }));
}
