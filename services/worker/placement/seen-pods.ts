import { add, type Amounts, type CountedPods, type SeenPod } from './room.ts';
import type { Kept } from './watch-collection.ts';

/** The pods of a cluster, with sums that follow each change: a cluster has many pods, and changes often. */
export interface SeenPods extends Kept<SeenPod> {
  /** What the pods of a node take. */
  used(node: string): Amounts;
  /** The pods without a node, those first that have waited longest. */
  waiting(): Iterable<CountedPods>;
  /** Whether a pod of the Job `<namespace>/<name>` was seen: what was created for it is counted. */
  hasOf(job: string): boolean;
}

export function createSeenPods(): SeenPods {
  const pods = new Map<string, SeenPod>();
  const nodes = new Map<string, { pods: number; used: Record<string, number> }>();
  const kinds = new Map<string, CountedPods>();
  const jobs = new Map<string, number>();
  const count = ({ needs, node, job }: SeenPod, by: 1 | -1): void => {
    if (job !== null) countUp(jobs, job, by);
    if (needs === null) return;
    if (node === null) {
      const kind = kindOf(needs);
      const left = (kinds.get(kind)?.pods ?? 0) + by;
      if (left > 0) kinds.set(kind, { needs, pods: left });
      else kinds.delete(kind);
      return;
    }
    const sum = nodes.get(node) ?? { pods: 0, used: {} };
    sum.pods += by;
    add(sum.used, needs, by);
    // Errors of rounding end with the last pod.
    if (sum.pods > 0) nodes.set(node, sum);
    else nodes.delete(node);
  };
  return {
    set(uid, pod) {
      const before = pods.get(uid);
      if (before !== undefined) count(before, -1);
      pods.set(uid, pod);
      count(pod, 1);
    },
    delete(uid) {
      const before = pods.get(uid);
      if (before !== undefined) count(before, -1);
      return pods.delete(uid);
    },
    clear() {
      for (const each of [pods, nodes, kinds, jobs]) each.clear();
    },
    used: (node) => nodes.get(node)?.used ?? {},
    waiting: () => kinds.values(),
    hasOf: (job) => jobs.has(job),
  };
}

function countUp(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}

function kindOf(needs: Amounts): string {
  return JSON.stringify(Object.entries(needs).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
