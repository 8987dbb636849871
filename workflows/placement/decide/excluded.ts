import { refusalOf } from '../definitions/refusal.ts';
import type { PlacementSettings } from '../settings.ts';
import type { PlacementState } from '../state.ts';
import type { Excluded } from './choose.ts';

/** For how long a cluster that refused the member is not asked again, in milliseconds. */
const REFUSED_MS = 60_000;
/** The same of a cluster in which its pods found no node. */
const SPILLED_MS = 600_000;

/**
 * Clusters that are not to be chosen now, whatever their room (J-16.4): of which something is said, as the worker that read the room
 * may not have heard it yet, and those that have refused the member, or in which its pods found no node, a short while ago.
 */
export function excludedNow({ grants }: PlacementState, settings: PlacementSettings, now: number): Excluded {
  const lately = grants.flatMap(({ cluster, refused, isStale, since, stopping, ended }) => {
    if (refused !== undefined && isStale !== true && now - since < REFUSED_MS)
      return [[cluster, refused] as const];
    const isSpilled = stopping === 'spill' && ended !== undefined && now - ended.at < SPILLED_MS;
    return isSpilled ? [[cluster, 'its pods found no node there'] as const] : [];
  });
  const said = Object.entries(settings.clusters ?? {}).flatMap(([cluster, word]) => {
    const why = refusalOf(word);
    return why === null ? [] : [[cluster, why] as const];
  });
  return new Map([...lately, ...said]);
}
