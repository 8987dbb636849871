import { WORKFLOW_TASKS_AT_ONCE } from '../adapters/temporal/limits.ts';
import type { Assignments } from './assignment.ts';
import type { Mailbox } from './mailbox.ts';

/** How much longer, in milliseconds, what is not urgent waits at most while its cluster is crowded. */
const HELD_MS = 20_000;

/** Returns whether a cluster is crowded: more new Jobs wait for their first decision than its worker decides about at once. */
export function whichAreCrowded(assignments: Assignments, now: number): (cluster: string) => boolean {
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
