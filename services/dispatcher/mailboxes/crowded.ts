import { WORKFLOW_TASKS_AT_ONCE } from '../../adapters/temporal/limits.ts';
import { inFlightIn, type Assignments } from '../assignments/assignment.ts';

/** With more unsent facts than this nothing is held back, because unsent facts take memory. */
const MAX_HELD = 20_000;

/**
 * Returns whether a cluster is crowded: more new Jobs wait for their first decision than its worker handles at once.
 */
export function whichAreCrowded(assignments: Assignments, now: number): (cluster: string) => boolean {
  if (inFlightIn(assignments) > MAX_HELD) return () => false;
  const known = new Map<string, boolean>();
  const isCrowded = (cluster: string): boolean =>
    [...assignments.values()].reduce((sum, { newJobs }) => sum + newJobs.count(cluster, now), 0) >
    WORKFLOW_TASKS_AT_ONCE;
  return (cluster) => {
    const result = known.get(cluster) ?? isCrowded(cluster);
    known.set(cluster, result);
    return result;
  };
}
