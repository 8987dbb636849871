import { compareVersions } from '../../ledger/resource-version.ts';
import { withoutLostIndexes } from '../definitions/successes.ts';
import type { PlacedJobFacts } from '../facts.ts';
import type { PlacementState } from '../state.ts';

/** Folds an observed placed Job; returns false for a repeat. */
export function foldPlacedJob(draft: PlacementState, job: PlacedJobFacts): boolean {
  if (isGone(draft) || compareVersions(job.resourceVersion, draft.version) <= 0) return false;
  draft.gone = false;
  const before = draft.job;
  draft.version = job.resourceVersion;
  draft.job = job;
  // A resumed Job starts again (J-6.42).
  if (before?.spec.suspend === true && job.spec.suspend !== true) draft.startedAt = null;
  const { completions = Infinity } = job.spec;
  const isSmaller = completions < (before?.spec.completions ?? completions);
  // A Job whose completions rise again runs the lost indexes again (J-5.36).
  for (const grant of draft.grants) {
    if (isSmaller) grant.fewest = Math.min(grant.fewest ?? Infinity, completions);
    if (grant.earlier !== undefined) grant.earlier = withoutLostIndexes(job.spec, grant.earlier);
    if (grant.continues !== undefined) grant.continues = withoutLostIndexes(job.spec, grant.continues);
  }
  // The server may now accept commands that it refused before.
  if (before !== null && before.generation !== job.generation) {
    draft.retries = {};
    draft.setbacks = {};
  }
  return true;
}

/**
 * True when the placed Job was deleted in the present epoch of the home; a copy of the API server may be older than
 * the deletion.
 */
function isGone({ gone, version: mark }: PlacementState): boolean {
  return gone && mark !== '';
}

/** Folds the deletion of the placed Job; returns false for a repeat. */
export function foldGone(draft: PlacementState, resourceVersion: string): boolean {
  if (isGone(draft)) return false;
  draft.version = resourceVersion;
  draft.gone = true;
  draft.requests = [];
  return true;
}

/**
 * Begins an epoch of the home, because its API server was restored from an older copy and its versions start over.
 * The grants do not change.
 */
export function beginEpoch(draft: PlacementState, epoch: number): void {
  draft.epoch = epoch;
  draft.version = '';
}
