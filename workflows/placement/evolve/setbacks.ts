import type { PlacementGrant, PlacementState, Setback } from '../state.ts';

/**
 * The wait after the first refusal, and after the second deleted member, in milliseconds; each further refusal or
 * deletion doubles the wait.
 */
const FIRST_MS = { refused: 60_000, deleted: 10_000 };
const LONGEST_MS = 3_600_000;

/** Sets the time for which the Job does not go to the cluster of a grant that ended without a move (J-16.4). */
export function foldSetback(
  draft: PlacementState,
  grant: PlacementGrant,
  { now, message }: { now: number; message: string },
): void {
  const kind = setbackKind(grant);
  if (kind === null) return;
  const { cluster, since } = grant;
  // A member that has run for a long time was not a failed placement.
  const hasLasted = kind === 'deleted' && now - since > LONGEST_MS;
  const errors = (hasLasted ? 0 : (draft.setbacks[cluster]?.errors ?? 0)) + 1;
  // The first deleted member is replaced at once, because a user wanted the Job to start again.
  const doubled = kind === 'refused' ? errors - 1 : errors - 2;
  const wait = doubled < 0 ? 0 : Math.min(FIRST_MS[kind] * 2 ** doubled, LONGEST_MS);
  draft.setbacks[cluster] = { kind, errors, until: now + wait, message };
}

/** The kind of a setback; null when the Job left the cluster, or had changed before its member was created. */
function setbackKind({ ended, isStale }: PlacementGrant): Setback['kind'] | null {
  if (ended?.reason === 'gone') return 'deleted';
  return ended?.reason === 'refused' && isStale !== true ? 'refused' : null;
}

/** Forgets the earlier refusals of a cluster that has accepted a member. */
export function endRefusals({ setbacks }: PlacementState, cluster: string): void {
  if (setbacks[cluster]?.kind === 'refused') delete setbacks[cluster];
}
