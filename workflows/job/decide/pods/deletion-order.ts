import type { PodEntry } from '../tally.ts';

/**
 * Sorts pods in the order in which surplus pods are deleted (J-5.31). The UID breaks ties, so that the order is
 * stable.
 */
export function inDeletionOrder(pods: readonly PodEntry[]): PodEntry[] {
  return pods.toSorted((a, b) => (comesBefore(a, b) ? -1 : 1));
}

/** True when `a` is deleted before `b`. */
export function comesBefore(a: PodEntry, b: PodEntry): boolean {
  for (const rank of RANKS) {
    const [first, second] = [rank(a), rank(b)];
    if (first < second) return true;
    if (first > second) return false;
  }
  return a.uid < b.uid;
}

/** Pods of this phase are deleted after the pods of all other phases. */
const PHASES = ['Unknown', 'Running'];

/** A pod with a smaller rank is deleted earlier. */
const RANKS: readonly ((pod: PodEntry) => number)[] = [
  ({ pod }) => (pod.unscheduled === true ? 0 : 1),
  ({ pod }) => PHASES.indexOf(pod.phase ?? 'Running'),
  ({ pod }) => (pod.ready === undefined ? 0 : 1),
  ({ pod }) => youngerFirst(pod.ready ?? 0),
  ({ pod }) => -(pod.maxRestarts ?? 0),
  ({ pod }) => -(pod.maxSidecarRestarts ?? 0),
  ({ pod }) => youngerFirst(pod.created),
];

/** The key that orders younger pods first; a zero time precedes every other time. */
function youngerFirst(since: number): number {
  return since === 0 ? -Infinity : -since;
}
