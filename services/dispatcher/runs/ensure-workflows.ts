import type { Log } from '../../adapters/process/log.ts';
import type { Settings } from '../../../workflows/job/settings.ts';
import { needsRun } from '../../../workflows/kind.ts';
import type { Assignment, Assignments, KnownJob } from '../assignments/assignment.ts';
import type { ReadLiveJobs } from '../assignments/read-live-jobs.ts';
import type { Signal } from '../sending/send.ts';

export interface EnsureWorkflowsDependencies {
  assignments: Assignments;
  settings: Settings;
  /** The ids of the running workflows of a cluster. */
  running: (cluster: string) => Promise<{ has(id: string): boolean }>;
  readLiveJobs: ReadLiveJobs;
  signal: Signal;
  log: Log;
}

/**
 * Starts the missing workflows of live Jobs in the partitions of this dispatcher, because without new facts nothing
 * else would start them. Each started workflow recalls its state from the ledger.
 */
export async function ensureWorkflows({
  assignments,
  settings,
  running,
  readLiveJobs,
  signal,
  log,
}: EnsureWorkflowsDependencies): Promise<void> {
  const missing = await filterByRunning(
    listAssignedJobs(assignments.values()).filter(({ known }) => needsRun(settings, known)),
    running,
    ({ key }, existing) => !existing.has(key),
  );
  if (missing.length === 0) return;
  // A workflow may have ended with its Job during the listing, so the live topic is read again after the listing.
  const liveNow = await readLiveJobs(new Set(missing.map(({ assignment }) => assignment.partition)));
  let started = 0;
  for (const { assignment, key, known } of missing) {
    const isAlive = liveNow.get(assignment.partition)?.jobs.has(key) === true && assignment.jobs.has(key);
    if (assignment.isOver || !isAlive) continue;
    await signal(known.ref, [], { recall: true, start: true });
    started += 1;
  }
  log.info({ missing: missing.length, started }, 'started the missing workflows of live Jobs');
}

/**
 * Returns the Jobs for which `isWanted` is true. The workflows are listed for one cluster at a time, so that memory
 * holds the ids of only one cluster; clusters without Jobs are skipped.
 */
export async function filterByRunning(
  jobs: readonly AssignedJob[],
  running: EnsureWorkflowsDependencies['running'],
  isWanted: (job: AssignedJob, existing: { has(id: string): boolean }) => boolean,
): Promise<AssignedJob[]> {
  const found: AssignedJob[] = [];
  for (const cluster of new Set(jobs.map(({ known }) => known.ref.cluster))) {
    const existing = await running(cluster);
    found.push(...jobs.filter((job) => job.known.ref.cluster === cluster && isWanted(job, existing)));
  }
  return found;
}

export interface AssignedJob {
  assignment: Assignment;
  key: string;
  known: KnownJob;
}

export function listAssignedJobs(assignments: Iterable<Assignment>): AssignedJob[] {
  return [...assignments].flatMap((assignment) =>
    [...assignment.jobs].map(([key, known]) => ({ assignment, key, known })),
  );
}
