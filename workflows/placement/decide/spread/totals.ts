import type { JobStatus } from '../../../kubernetes/objects.ts';
import { countIndexes } from '../../../batch/completion-indexes.ts';
import { finishedIndexes, openParts, type Finished } from '../../definitions/parts.ts';
import type { PlacementGrant } from '../../state.ts';
import type { PlacementSituation } from '../situation.ts';

/** The sums of the statuses and pods of the members of a spread Job (J-17.6). */
export interface Totals {
  finished: Finished;
  succeeded: number;
  /** The number of pods that have failed since the creation of the Job. */
  failed: number;
  /** The active pods of the members that may have pods; for a member that does not answer, its last status counts. */
  active: number;
  ready: number;
  terminating: number;
}

type Count = 'active' | 'ready' | 'terminating';

/** Sums what the members of a spread Job have counted. */
export function sumTotals({ state, job }: PlacementSituation): Totals {
  const finished = finishedIndexes(state, job);
  const open = openParts(state).flatMap(({ member }) => member?.status ?? []);
  const failed = state.grants.reduce((total, grant) => total + countFailed(grant), 0);
  /** The sum of a counter over some statuses. */
  const sumField = (statuses: readonly JobStatus[], field: Count): number =>
    statuses.reduce((total, status) => total + (status[field] ?? 0), 0);
  return {
    finished,
    succeeded: countIndexes(finished.completed),
    failed: Math.max(job.status.failed ?? 0, failed),
    active: sumField(open, 'active'),
    ready: sumField(open, 'ready'),
    terminating: sumField(open, 'terminating'),
  };
}

/**
 * The number of failed pods of a member; its status may later count failures that it had not counted when the cluster
 * lost the Job.
 */
function countFailed({ member, left, earlier }: PlacementGrant): number {
  return Math.max(
    earlier?.failed ?? 0,
    member?.status.failed ?? 0,
    left === undefined ? 0 : left.failed + left.uncountedPodCount,
  );
}
