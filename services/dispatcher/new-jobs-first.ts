import type { Assignments } from './assignment.ts';
import type { Mailbox } from './mailbox.ts';

/**
 * So many new Jobs may wait for their first decision: no more than a worker decides about at once. With more of them it is
 * behind, and what is not urgent about other Jobs of the cluster waits.
 */
const MOST_NEW_JOBS = 40;
/** How much longer it waits then, at most, in milliseconds. */
const HELD_MS = 20_000;

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
