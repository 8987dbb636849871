import { formatIndexes } from '../../../workflows/batch/completion-indexes.ts';
import { grantedIndexes } from '../../../workflows/batch/index-grant.ts';
import {
  tenuresWith,
  tenuresWithout,
  type Tenure,
} from '../../../workflows/placement/definitions/tenures.ts';
import type { Granted } from '../../read-model/tables/placements.ts';

type GrantedTenure = Tenure<Omit<Granted, 'indexes' | 'until'>, string>;

/** The grants of indexes after a member was given these indexes. */
export function addGivenIndexes(
  granted: readonly Granted[] | null,
  indexes: string,
  by: Omit<Granted, 'indexes' | 'until'>,
): Granted[] {
  return formatTenures(tenuresWith(parseTenures(granted ?? []), grantedIndexes({ indexes }), by));
}

/**
 * The grants of indexes after a decision has asked for a list of the pods of given-up indexes. `askedIn` is the epoch
 * of the cluster.
 */
export function noteListRequest(granted: readonly Granted[] | null, askedIn: number): Granted[] | null {
  return granted?.map((each) => (each.until === null ? { ...each, askedIn } : each)) ?? null;
}

/**
 * The grants of indexes after an event has shown this epoch of the cluster. A list that was requested before a restore
 * proves nothing about the restored cluster (J-16.19).
 */
export function dropOutdatedRequests(granted: Granted[] | null, epoch = 0): Granted[] | null {
  const isOlder = ({ askedIn }: Granted): boolean => askedIn !== undefined && askedIn < epoch;
  return granted?.some(isOlder) === true ? clearListRequests(granted) : granted;
}

/**
 * The grants of indexes after a list has shown that no pod of these indexes is left. `until` is the instant of the
 * list.
 */
export function endGivenUpIndexes(granted: readonly Granted[], of: string, until: string): Granted[] {
  const isProof = granted.some(({ askedIn }) => askedIn !== undefined);
  const left = isProof
    ? formatTenures(tenuresWithout(parseTenures(granted), grantedIndexes({ indexes: of }), until))
    : granted;
  return clearListRequests(left);
}

/** The grants of indexes without the requests for lists. */
function clearListRequests(granted: readonly Granted[]): Granted[] {
  return granted.map(({ askedIn: _asked, ...each }) => each);
}

function parseTenures(granted: readonly Granted[]): GrantedTenure[] {
  return granted.map((each) => ({ ...each, indexes: grantedIndexes(each) }));
}

function formatTenures(tenures: readonly GrantedTenure[]): Granted[] {
  return tenures.map((each) => ({ ...each, indexes: formatIndexes(each.indexes) }));
}
