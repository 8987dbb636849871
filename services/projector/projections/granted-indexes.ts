import { formatIndexes } from '../../../workflows/job/definitions/completion-indexes.ts';
import { grantedIndexes } from '../../../workflows/job/definitions/index-grant.ts';
import { given, givenUp, type Tenure } from '../../../workflows/placement/definitions/tenures.ts';
import type { Granted } from '../../read-model/tables/placements.ts';

type GrantedTenure = Tenure<Omit<Granted, 'indexes' | 'until'>, string>;

/** The rows after the member was given these indexes. */
export function withGiven(
  granted: readonly Granted[] | null,
  indexes: string,
  by: Omit<Granted, 'indexes' | 'until'>,
): Granted[] {
  return written(given(read(granted ?? []), grantedIndexes({ indexes }), by));
}

/** The rows after the member has given these indexes up, at that instant. */
export function withoutGivenUp(granted: readonly Granted[], of: string, until: string): Granted[] {
  return written(givenUp(read(granted), grantedIndexes({ indexes: of }), until));
}

function read(granted: readonly Granted[]): GrantedTenure[] {
  return granted.map((each) => ({ ...each, indexes: grantedIndexes(each) }));
}

function written(tenures: readonly GrantedTenure[]): Granted[] {
  return tenures.map((each) => ({ ...each, indexes: formatIndexes(each.indexes) }));
}
