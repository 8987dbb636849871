import type { Amounts } from '../../../adapters/kubernetes/pod-resources.ts';
import { addAmounts, type CountedPods, type PodsOfRoom, type SeenPod } from './room.ts';
import type { Kept } from './watch-collection.ts';

/**
 * The pods of a cluster, with sums that are updated at each change, because a cluster has many pods and changes often.
 */
export interface SeenPods extends Kept<SeenPod>, PodsOfRoom {
  /** True when a pod of the Job `<namespace>/<name>` was seen, so that the pods of this Job are counted. */
  hasSeenJob(job: string): boolean;
}

export function createSeenPods(): SeenPods {
  const pods = new Map<string, SeenPod>();
  const nodes = new Map<string, { pods: number; used: Record<string, number> }>();
  const waiting = new Map<string, Map<string, CountedPods>>();
  const jobs = new Map<string, number>();
  /** Adds or removes a pod without a node among the waiting pods. */
  const countWaitingPod = (needs: Amounts, { namespace, choice, createdAt }: SeenPod, by: 1 | -1): void => {
    if (choice === null) return;
    const kinds = waiting.get(namespace) ?? new Map<string, CountedPods>();
    const kind = needsKey(needs, choice.text);
    const { pods: before = 0, since = createdAt } = kinds.get(kind) ?? {};
    if (before + by > 0) kinds.set(kind, { namespace, needs, choice, since, pods: before + by });
    else kinds.delete(kind);
    if (kinds.size > 0) waiting.set(namespace, kinds);
    else waiting.delete(namespace);
  };
  /** Adds a pod to the sums, or subtracts it from the sums. */
  const countPod = (pod: SeenPod, by: 1 | -1): void => {
    const { needs, node, job } = pod;
    if (job !== null) addToCount(jobs, job, by);
    if (needs === null) return;
    if (node === null) return countWaitingPod(needs, pod, by);
    const sum = nodes.get(node) ?? { pods: 0, used: {} };
    sum.pods += by;
    addAmounts(sum.used, needs, by);
    // The sum is deleted with the last pod, so that rounding errors do not accumulate.
    if (sum.pods > 0) nodes.set(node, sum);
    else nodes.delete(node);
  };
  return {
    set(uid, pod) {
      const before = pods.get(uid);
      if (before !== undefined) countPod(before, -1);
      pods.set(uid, pod);
      countPod(pod, 1);
    },
    delete(uid) {
      const before = pods.get(uid);
      if (before !== undefined) countPod(before, -1);
      return pods.delete(uid);
    },
    clear() {
      for (const each of [pods, nodes, waiting, jobs]) each.clear();
    },
    used: (node) => nodes.get(node)?.used ?? {},
    waiting: (most) => takeInTurns(waiting, most),
    hasSeenJob: (job) => jobs.has(job),
  };
}

/** Takes kinds of pods from the namespaces in turns, at most `most` kinds. */
export function takeInTurns(
  waiting: ReadonlyMap<string, ReadonlyMap<string, CountedPods>>,
  most: number,
): CountedPods[] {
  const chosen: CountedPods[] = [];
  let turns = [...waiting.values()].map((kinds) => kinds.values());
  while (turns.length > 0 && chosen.length < most)
    turns = turns.filter((kinds) => {
      const next = kinds.next();
      if (next.done !== true && chosen.length < most) chosen.push(next.value);
      return next.done !== true;
    });
  return chosen;
}

function addToCount(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}

/** A text that is equal for pods with the same needs. */
export function needsKey(needs: Amounts, choice: string): string {
  return JSON.stringify([Object.entries(needs).toSorted(([a], [b]) => (a < b ? -1 : 1)), choice]);
}
