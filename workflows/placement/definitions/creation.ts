import type { PlacementGrant } from '../state.ts';

/** How long a creation, or a renewal, that had no answer may still arrive, in milliseconds: an attempt sends nothing after its deadline. */
const ARRIVES_WITHIN_MS = 15_000;

/** When no request can arrive any more that was asked for at this instant, in milliseconds. */
export function lastArrival({ askedAt }: Pick<PlacementGrant, 'askedAt'>): number {
  return askedAt + ARRIVES_WITHIN_MS;
}

/** When no request can create another Job with the name of the member any more, once that is deleted (J-16.6). */
export function lastCreation(grant: PlacementGrant): number {
  return grant.isDoubtful === true ? lastArrival(grant) : -Infinity;
}

/** When no request to resume the member can arrive any more, which a stop has not overtaken (J-16.10). */
export function lastResumption({ resumedAt = -Infinity }: PlacementGrant): number {
  return lastArrival({ askedAt: resumedAt });
}

/**
 * Whether no member was created, and none can be by a request that was sent (J-16.6): none was sent, the only one was refused, or a
 * look-up found none after the last could arrive.
 */
export function isNeverCreated(grant: PlacementGrant): boolean {
  if (grant.member !== null) return false;
  if (grant.requests === 0) return true;
  if (grant.refused !== undefined && grant.isDoubtful !== true) return true;
  return (grant.absentAt ?? 0) >= lastArrival(grant);
}
