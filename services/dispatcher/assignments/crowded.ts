import { countFactsInFlight, bytesInFlight, type Assignments } from './assignment.ts';
import type { Crowd } from '../mailboxes/new-jobs-first.ts';

/** The number of unsent facts beyond which no fact is held back, because unsent facts take memory. */
const MAX_HELD = 20_000;
/**
 * The most bytes of the records of unsent facts: the size of these records is limited because a tenant decides how long
 * its objects are.
 */
const MAX_LENGTH = 64 * 1024 * 1024;

/** True when unsent facts take so much memory that they are sent before any further record is read. */
export function isFull(assignments: Assignments): boolean {
  return countFactsInFlight(assignments) > MAX_HELD || bytesInFlight(assignments) > MAX_LENGTH;
}

/**
 * Counts new Jobs and Jobs that were signalled, until the ledger has decisions about them. `most` is the number of Jobs
 * that may wait in a cluster. Each namespace with waiting Jobs has an equal share of `most`, so that a namespace delays
 * only its own Jobs.
 */
export function countCrowd(assignments: Assignments, most: number, now: number): Crowd {
  const isUnlimited = isFull(assignments);
  const clusters = new Map<string, Waiting>();
  const waitingIn = (cluster: string): Waiting => {
    const waiting = clusters.get(cluster) ?? countWaiting(assignments, cluster, now);
    clusters.set(cluster, waiting);
    return waiting;
  };
  return {
    isCrowded({ cluster, namespace }) {
      if (isUnlimited) return false;
      const { total, byNamespace } = waitingIn(cluster);
      const share = Math.floor(most / Math.max(1, byNamespace.size));
      return total > most && (byNamespace.get(namespace) ?? 0) > share;
    },
    join(job) {
      const isCounted = [...assignments.values()].some(
        ({ newJobs, signalled }) => newJobs.has(job) || signalled.has(job),
      );
      if (!isCounted) addWaiting(waitingIn(job.cluster), job.namespace, 1);
    },
  };
}

/** The number of waiting Jobs of one cluster. */
interface Waiting {
  total: number;
  byNamespace: Map<string, number>;
}

function countWaiting(assignments: Assignments, cluster: string, now: number): Waiting {
  const waiting: Waiting = { total: 0, byNamespace: new Map() };
  for (const { newJobs, signalled } of assignments.values())
    for (const each of [newJobs, signalled])
      for (const [namespace, count] of each.byNamespace(cluster, now)) addWaiting(waiting, namespace, count);
  return waiting;
}

function addWaiting(waiting: Waiting, namespace: string, count: number): void {
  waiting.total += count;
  waiting.byNamespace.set(namespace, (waiting.byNamespace.get(namespace) ?? 0) + count);
}
