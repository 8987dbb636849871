import type { PlacementGrant, PlacementState, Setback } from '../state.ts';

/** After the first refusal, and after the second member that was deleted; doubled with each further one, in milliseconds. */
const FIRST_MS = { refused: 60_000, deleted: 10_000 };
const LONGEST_MS = 3_600_000;

/** The cluster of a grant that ended without a move: how long the Job does not go there (J-16.4). */
export function foldSetback(
  draft: PlacementState,
  grant: PlacementGrant,
  { now, message }: { now: number; message: string },
): void {
  const kind = setbackKind(grant);
  if (kind === null) return;
  const { cluster, since } = grant;
  // A member that has run for long was no failure to place it.
  const hasLasted = kind === 'deleted' && now - since > LONGEST_MS;
  const errors = (hasLasted ? 0 : (draft.setbacks[cluster]?.errors ?? 0)) + 1;
  // The first of them is replaced at once: a user wanted it to start again.
  const doubled = kind === 'refused' ? errors - 1 : errors - 2;
  const wait = doubled < 0 ? 0 : Math.min(FIRST_MS[kind] * 2 ** doubled, LONGEST_MS);
  draft.setbacks[cluster] = { kind, errors, until: now + wait, message };
}

/** Null: the Job left the cluster, or had changed before its member was created. */
function setbackKind({ ended, isStale }: PlacementGrant): Setback['kind'] | null {
  if (ended?.reason === 'gone') return 'deleted';
  return ended?.reason === 'refused' && isStale !== true ? 'refused' : null;
}

/** The cluster has taken a member: what it refused before counts no more. */
export function endRefusals({ setbacks }: PlacementState, cluster: string): void {
  if (setbacks[cluster]?.kind === 'refused') delete setbacks[cluster];
}
