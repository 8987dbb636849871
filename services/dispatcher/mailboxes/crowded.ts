import { inFlightIn, type Assignments } from '../assignments/assignment.ts';
import type { Crowd } from './new-jobs-first.ts';

/** With more unsent facts than this nothing is held back, because unsent facts take memory. */
const MAX_HELD = 20_000;

/**
 * Counts new Jobs and Jobs that were signalled, until the ledger has decisions about them. `most`: how many may wait in a
 * cluster.
 */
export function crowdIn(assignments: Assignments, most: number, now: number): Crowd {
  const isUnlimited = inFlightIn(assignments) > MAX_HELD;
  const waiting = new Map<string, number>();
  const countIn = (cluster: string): number => {
    const known = waiting.get(cluster);
    if (known !== undefined) return known;
    let count = 0;
    for (const { newJobs, signalled } of assignments.values())
      count += newJobs.count(cluster, now) + signalled.count(cluster, now);
    waiting.set(cluster, count);
    return count;
  };
  return {
    isCrowded: (cluster) => !isUnlimited && countIn(cluster) > most,
    join({ cluster, uid }) {
      const isCounted = [...assignments.values()].some(
        ({ newJobs, signalled }) => newJobs.has(cluster, uid) || signalled.has(cluster, uid),
      );
      if (!isCounted) waiting.set(cluster, countIn(cluster) + 1);
    },
  };
}
