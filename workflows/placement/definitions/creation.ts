import type { PlacementGrant } from '../state.ts';

/**
 * The time for which a creation or a renewal without an answer may still arrive, in milliseconds: an attempt sends no
 * request after its deadline.
 */
const ARRIVES_WITHIN_MS = 15_000;

/**
 * The instant after which a request that was decided at the given instant cannot arrive any more, in milliseconds.
 */
export function lastArrival({ askedAt }: Pick<PlacementGrant, 'askedAt'>): number {
  return askedAt + ARRIVES_WITHIN_MS;
}

/** The instant after which no request can create another Job with the name of a deleted member (J-16.6). */
export function lastCreation(grant: PlacementGrant): number {
  return grant.isDoubtful === true ? lastArrival(grant) : -Infinity;
}

/** The instant after which no request to resume the member can arrive after a stop of the member (J-16.10). */
export function lastResumption({ resumedAt = -Infinity }: PlacementGrant): number {
  return lastArrival({ askedAt: resumedAt });
}

/**
 * True when no member was created, and no request that was sent can create one (J-16.6): no request was sent, the only request was refused, or a
 * look-up found no member after the last request could arrive.
 */
export function isNeverCreated(grant: PlacementGrant): boolean {
  if (grant.member !== null) return false;
  if (grant.requests === 0) return true;
  if (grant.refused !== undefined && grant.isDoubtful !== true) return true;
  return (grant.absentAt ?? 0) >= lastArrival(grant);
}
