import { isTerminal } from '../../workflows/job/definitions/pod-phase.ts';
import { COMPLETION_INDEX } from '../../workflows/kubernetes/names.ts';
import type { Job, JobSpec, JobStatus, Pod, PodSpec } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { playKubelet, type PlayedEnd, type PlayedKubelet } from './played-kubelet.ts';

export type Counters = Omit<
  JobStatus,
  'conditions' | 'startTime' | 'completionTime' | 'uncountedTerminatedPods'
>;

/** A Job on a cluster without a node, whose pods do what the test says. */
export interface PlayedJob {
  name: string;
  created: Job;
  kubelet: PlayedKubelet;
  now(): Promise<Job>;
  /** The Job once it has these counters; missing ones are 0 or empty, and `failedIndexes` is absent. */
  shows(counters: Counters, seconds?: number): Promise<Job>;
  /** Pods that are neither finished nor being deleted, by index. */
  active(): Promise<Pod[]>;
  /** This many of the active pods, once there are at least as many. */
  some(count: number): Promise<Pod[]>;
  /** The active pod of an index, once there is one. */
  at(index: number): Promise<Pod>;
  succeed(which: number | Pod): Promise<Pod>;
  fail(which: number | Pod, how?: PlayedEnd): Promise<Pod>;
  /** `Type=Status Reason: message` of each condition. */
  conditions(): Promise<string[]>;
}

export async function playJob(
  cluster: TestCluster,
  name: string,
  spec: Partial<JobSpec>,
  pod: Partial<PodSpec> & Record<string, unknown> = {},
): Promise<PlayedJob> {
  const kubelet = playKubelet(cluster.client, cluster.namespace);
  const created = await cluster.createJob(name, spec, pod);
  const now = async (): Promise<Job> => (await cluster.job(name)) ?? created;
  const active = async (): Promise<Pod[]> =>
    (await cluster.listPods(name)).filter(isActive).toSorted(byIndex);
  const at = (index: number): Promise<Pod> =>
    eventually(`${name} has an active pod of index ${index}`, 30, async () =>
      (await active()).find((each) => completionIndex(each) === index),
    );
  const one = (which: number | Pod): Promise<Pod> =>
    typeof which === 'number' ? at(which) : Promise.resolve(which);
  return {
    name,
    created,
    kubelet,
    now,
    active,
    at,
    some: (count) =>
      eventually(`${name} has ${count} active pods`, 30, async () => {
        const pods = await active();
        return pods.length >= count ? pods.slice(0, count) : undefined;
      }),
    shows: (counters, seconds = 30) => shows(now, name, counters, seconds),
    succeed: async (which) => kubelet.succeed((await one(which)).metadata.name),
    fail: async (which, how) => kubelet.fail((await one(which)).metadata.name, how),
    conditions: async () => conditionsIn((await now()).status),
  };
}

/** The completion index from a pod's annotation; NaN without one. */
export function completionIndex({ metadata }: Pod): number {
  return Number(metadata.annotations?.[COMPLETION_INDEX] ?? Number.NaN);
}

/** The counters of a status; absent ones as 0 or empty. */
export function statusCounters(status: JobStatus = {}): Counters {
  const { conditions: _c, startTime: _s, completionTime: _t, uncountedTerminatedPods: _u, ...given } = status;
  return { active: 0, ready: 0, terminating: 0, succeeded: 0, failed: 0, completedIndexes: '', ...given };
}

function isActive({ metadata, status }: Pod): boolean {
  return !isTerminal(status?.phase ?? 'Pending') && metadata.deletionTimestamp === undefined;
}

function byIndex(a: Pod, b: Pod): number {
  return (
    (completionIndex(a) || 0) - (completionIndex(b) || 0) || a.metadata.name.localeCompare(b.metadata.name)
  );
}

function shows(now: () => Promise<Job>, name: string, counters: Counters, seconds: number): Promise<Job> {
  const wanted = countersIn(counters);
  return eventually(`${name} shows ${wanted}`, seconds, async () => {
    const job = await now();
    if (job.status?.ready === undefined) throw new Error('it has no status yet');
    const found = countersIn(job.status);
    if (found !== wanted) throw new Error(`it shows ${found}`);
    return job;
  });
}

/** `Type=Status Reason: message` of each condition. */
export function conditionsIn({ conditions = [] }: JobStatus = {}): string[] {
  return conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
}

/** The counters of a status as text, sorted by name: equal for equal counters. */
export function countersIn(status: JobStatus): string {
  return Object.entries(statusCounters(status))
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([counter, value]) => `${counter} ${JSON.stringify(value)}`)
    .join(', ');
}
