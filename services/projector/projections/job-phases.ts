import type { JobRow } from '../../read-model/tables/jobs.ts';
import type { PodRow } from '../../read-model/tables/pods.ts';
import { findPod, type JobRows } from './job-rows.ts';

/** Updates a Job's pod counts and first pod times from pod rows that just changed. */
export function foldPhases(before: JobRows, pods: readonly PodRow[]): JobRow {
  const { job } = before;
  if (pods.length === 0) return job;
  const attempts = job.attempt_count + pods.filter(({ uid }) => findPod(before, uid) === undefined).length;
  // Before a pod is observed, its time comes from the clock of the worker, which may be ahead of the clock of the API
  // server.
  const observed = pods.filter(({ resource_version: version }) => version !== '0');
  const first_pod_at = earliestInstant([job.first_pod_at, ...observed.map(({ created_at: at }) => at)]);
  const first_container_started_at = earliestInstant([
    job.first_container_started_at,
    ...observed.map(({ first_container_started_at: at }) => at),
  ]);
  const first_ready_at = earliestInstant([
    job.first_ready_at,
    ...observed.map(({ first_ready_at: at }) => at),
  ]);
  const isSame =
    attempts === job.attempt_count &&
    first_pod_at === job.first_pod_at &&
    first_container_started_at === job.first_container_started_at &&
    first_ready_at === job.first_ready_at;
  const first = { first_pod_at, first_container_started_at, first_ready_at };
  return isSame ? job : { ...job, attempt_count: attempts, ...first };
}

function earliestInstant(instants: readonly (string | null)[]): string | null {
  return instants.filter((at) => at !== null).toSorted()[0] ?? null;
}
