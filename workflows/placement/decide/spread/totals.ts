import type { JobStatus } from '../../../kubernetes/objects.ts';
import { sizeOf } from '../../../job/definitions/completion-indexes.ts';
import { finishedOf, openParts, type Finished } from '../../definitions/parts.ts';
import type { PlacementSituation } from '../situation.ts';

/** What the members of a spread Job show together (J-17.6). */
export interface Totals {
  finished: Finished;
  succeeded: number;
  /** Failed pods, of the whole life. */
  failed: number;
  /** Of the members that may have pods; one that does not answer counts with what it showed last. */
  active: number;
  ready: number;
  terminating: number;
}

type Count = 'active' | 'ready' | 'terminating';

export function totalsOf({ state, job }: PlacementSituation): Totals {
  const finished = finishedOf(state, job);
  const open = openParts(state).flatMap(({ member }) => member?.status ?? []);
  const all = state.grants.flatMap(({ member }) => member?.status ?? []);
  const uncounted = state.grants.reduce((total, { left }) => total + (left?.uncounted ?? 0), 0);
  const sum = (statuses: readonly JobStatus[], field: Count | 'failed'): number =>
    statuses.reduce((total, status) => total + (status[field] ?? 0), 0);
  return {
    finished,
    succeeded: sizeOf(finished.completed),
    failed: Math.max(job.status.failed ?? 0, sum(all, 'failed') + uncounted),
    active: sum(open, 'active'),
    ready: sum(open, 'ready'),
    terminating: sum(open, 'terminating'),
  };
}
