import { terminalCondition } from '../../../../workflows/batch/conditions.ts';
import type { Job, Pod } from '../../../../workflows/kubernetes/objects.ts';
import { percentile, type Figures } from '../report/figures.ts';

/** When the benchmark saw what of one Job, in milliseconds. */
export interface JobTimes {
  /** Its creation was requested. */
  readonly requested: number;
  uid?: string;
  firstPod?: number;
  lastPodEnd?: number;
  terminal?: number;
  /** A row of the side's tables showed its end. */
  row?: number;
  /** The type of its terminal condition. */
  result?: string;
  readonly pods: Set<string>;
  readonly endedPods: Set<string>;
}

/** Times by Job name. */
export type TimesByName = Map<string, JobTimes>;

export function requestedAt(now: number): JobTimes {
  return { requested: now, pods: new Set(), endedPods: new Set() };
}

export function notePod(times: TimesByName, { metadata, status }: Pod, now: number): void {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const job = times.get(owner?.name ?? '');
  if (job === undefined) return;
  job.pods.add(metadata.uid);
  job.firstPod ??= now;
  // An ended pod is reported again, when it loses its finalizer.
  if (status?.phase !== 'Succeeded' || job.endedPods.has(metadata.uid)) return;
  job.endedPods.add(metadata.uid);
  job.lastPodEnd = now;
}

export function noteJob(times: TimesByName, { metadata, status }: Job, now: number): void {
  const job = times.get(metadata.name);
  if (job === undefined) return;
  job.uid ??= metadata.uid;
  const condition = terminalCondition(status ?? {});
  if (condition === undefined || job.terminal !== undefined) return;
  job.terminal = now;
  job.result = condition.type;
}

/** `ended`: UIDs of Jobs whose end is in the tables. */
export function noteRows(times: TimesByName, ended: ReadonlySet<string>, now: number): void {
  for (const job of times.values()) if (ended.has(job.uid ?? '')) job.row ??= now;
}

/** Jobs with a terminal condition. */
export function finishedJobs(times: TimesByName): number {
  return [...times.values()].filter(({ terminal }) => terminal !== undefined).length;
}

/** Throughput, from the first request to the last terminal condition, and latencies in seconds. */
export function timeFigures(times: TimesByName): Figures {
  const jobs = [...times.values()];
  const begin = Math.min(...jobs.map(({ requested }) => requested));
  const end = Math.max(...jobs.map(({ terminal = Number.NaN }) => terminal));
  const seconds = (end - begin) / 1000;
  const pods = jobs.reduce((total, each) => total + each.pods.size, 0);
  return {
    'whole run (s)': seconds,
    'Jobs/s': jobs.length / seconds,
    'pods/s': pods / seconds,
    ...latency('creation to first pod', jobs, 'requested', 'firstPod'),
    ...latency('creation to terminal condition', jobs, 'requested', 'terminal'),
    ...latency("last pod's end to terminal condition", jobs, 'lastPodEnd', 'terminal'),
    ...(jobs.some(({ row }) => row !== undefined)
      ? latency('terminal condition to its row in SQL', jobs, 'terminal', 'row')
      : {}),
    'pods a Job': pods / jobs.length,
  };
}

type Instant = 'requested' | 'firstPod' | 'lastPodEnd' | 'terminal' | 'row';

function latency(what: string, jobs: readonly JobTimes[], from: Instant, to: Instant): Figures {
  const seconds = jobs.map((job) => ((job[to] ?? Number.NaN) - (job[from] ?? Number.NaN)) / 1000);
  return {
    [`${what}: p50 (s)`]: percentile(seconds, 0.5),
    [`${what}: p99 (s)`]: percentile(seconds, 0.99),
  };
}
