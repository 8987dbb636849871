import type { Assignments } from './assignment.ts';
import type { Mailbox } from './mailbox.ts';

/**
 * So many new Jobs may wait for their first decision: no more than a worker decides about at once. With more of them it is
 * behind, and what is not urgent about other Jobs of the cluster waits.
 */
const MOST_NEW_JOBS = 40;
/** How much longer it waits then, at most, in milliseconds. */
const HELD_MS = 20_000;
/** A new Job without a decision counts for so long, in milliseconds: its workflow may have failed. */
const COUNTED_MS = 300_000;

/** The new Jobs of one partition that wait for their first decision. */
export interface NewJobs {
  add(cluster: string, uid: string, now: number): void;
  /** Called once it was decided about the Job, or it is gone. */
  remove(cluster: string, uid: string): void;
  count(cluster: string, now: number): number;
}

export function createNewJobs(): NewJobs {
  /** When each was read, by cluster and UID, the oldest first. */
  const since = new Map<string, Map<string, number>>();
  return {
    add(cluster, uid, now) {
      const ofCluster = since.get(cluster) ?? new Map<string, number>();
      since.set(cluster, ofCluster.set(uid, now));
    },
    remove(cluster, uid) {
      since.get(cluster)?.delete(uid);
    },
    count(cluster, now) {
      const ofCluster = since.get(cluster) ?? new Map<string, number>();
      for (const [uid, read] of ofCluster) {
        if (now - read < COUNTED_MS) break;
        ofCluster.delete(uid);
      }
      return ofCluster.size;
    },
  };
}

/** Tells whether a cluster has more new Jobs than its worker decides about at once. */
export function whichAreCrowded(assignments: Assignments, now: number): (cluster: string) => boolean {
  const known = new Map<string, boolean>();
  const isCrowded = (cluster: string): boolean =>
    [...assignments.values()].reduce((sum, { newJobs }) => sum + newJobs.count(cluster, now), 0) >
    MOST_NEW_JOBS;
  return (cluster) => {
    const result = known.get(cluster) ?? isCrowded(cluster);
    known.set(cluster, result);
    return result;
  };
}

/**
 * When to send what is pending, in milliseconds; Infinity: nothing is due. In a crowded cluster the first pods of new Jobs come
 * before the counts of others: Temporal's worker takes the tasks of workflows that it knows before those of new ones.
 */
export function sendAt(
  { job, dueAt, pending, failures }: Mailbox,
  isCrowded: (cluster: string) => boolean,
): number {
  if (dueAt === null) return Infinity;
  const mayWait = isCrowded(job.cluster) && failures === 0;
  return mayWait && !pending.some(({ urgency }) => urgency === 'now') ? dueAt + HELD_MS : dueAt;
}
