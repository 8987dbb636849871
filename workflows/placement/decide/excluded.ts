import { isoTime } from '../../ledger/instants.ts';
import { refusalReason } from '../definitions/refusal.ts';
import type { PlacementSettings } from '../settings.ts';
import type { PlacementState, Setback } from '../state.ts';
import type { Excluded } from './choose.ts';

/** The time for which a cluster is not asked again after the pods found no node in it, in milliseconds. */
const SPILLED_MS = 600_000;

/**
 * The clusters that must not be chosen now, whatever their room (J-16.4). Some have an override or do not answer, and
 * the worker that read the room may not have read this yet; others have recently refused the member, or had no node
 * for its pods.
 */
export function excludedNow(
  { grants, setbacks }: PlacementState,
  settings: PlacementSettings,
  now: number,
): Excluded {
  const lately = grants.flatMap(({ cluster, stopping, ended }) => {
    const isSpilled = stopping === 'spill' && ended !== undefined && now - ended.at < SPILLED_MS;
    return isSpilled ? [[cluster, 'its pods found no node there'] as const] : [];
  });
  const setBack = Object.entries(setbacks).flatMap(([cluster, setback]) =>
    setback.until > now ? [[cluster, setbackText(setback)] as const] : [],
  );
  const unavailable = Object.entries(settings.clusters ?? {}).flatMap(([cluster, word]) => {
    const why = refusalReason(word);
    return why === null ? [] : [[cluster, why] as const];
  });
  return new Map([...lately, ...setBack, ...unavailable]);
}

/** The reason why a cluster is not asked for a while, as text. */
function setbackText({ kind, errors, until, message }: Setback): string {
  if (kind === 'deleted')
    return `${errors} members in a row were deleted there; it is asked again at ${isoTime(until)}`;
  const times = errors === 1 ? 'once' : `${errors} times in a row`;
  return `it has refused the member ${times} and is asked again at ${isoTime(until)}: ${message}`;
}
