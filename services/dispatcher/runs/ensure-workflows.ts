import type { Log } from '../../adapters/process/log.ts';
import { messageOf } from '../../adapters/errors.ts';
import type { Settings } from '../../../workflows/job/settings.ts';
import { needsRun } from '../../../workflows/kind.ts';
import type { Assignment, Assignments, KnownJob } from '../assignments/assignment.ts';
import type { ReadLiveJobs } from '../assignments/read-live-jobs.ts';
import type { Signal } from '../mailboxes/send.ts';

export interface EnsureWorkflowsDependencies {
  assignments: Assignments;
  settings: Settings;
  /** Ids of the running workflows of a cluster. */
  running: (cluster: string) => Promise<{ has(id: string): boolean }>;
  readLiveJobs: ReadLiveJobs;
  signal: Signal;
  log: Log;
}

/**
 * Starts the missing workflows of live Jobs in the partitions of this dispatcher: without new facts, nothing else would
 * start them. A workflow started here recalls its state from the ledger.
 */
export async function ensureWorkflows({
  assignments,
  settings,
  running,
  readLiveJobs,
  signal,
  log,
}: EnsureWorkflowsDependencies): Promise<void> {
  const missing = await withExisting(
    jobsIn(assignments).filter(({ known }) => needsRun(settings, known)),
    running,
    ({ key }, existing) => !existing.has(key),
  );
  if (missing.length === 0) return;
  // A workflow may have ended with its Job in the meantime, so the live topic is read again after the listing.
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
 * Signals the settings of this process to the workflows that wait for the deletion of their finished Job, or would do
 * so under these settings, and to those of placed Jobs. A finished Job gets no other signals, so its workflow would not see
 * that a controller was switched on or off; nor would a placed Job what is said of a cluster.
 */
export async function signalSettings(
  { assignments, running, signal, log }: Omit<EnsureWorkflowsDependencies, 'readLiveJobs' | 'settings'>,
  aborted: AbortSignal,
): Promise<void> {
  try {
    const expiring = await withExisting(
      jobsIn(assignments).filter(({ known }) => known.expires || known.ref.kind === 'PlacedJob'),
      running,
      ({ key }, existing) => existing.has(key),
    );
    for (const { assignment, known } of expiring)
      if (!assignment.isOver && !aborted.aborted) await signal(known.ref, [], { recall: true, start: false });
  } catch (error) {
    log.warn(
      { error: messageOf(error) },
      'the settings could not be signalled to finished Jobs; the next start repeats it',
    );
  }
}

/**
 * Those for which `isWanted`. Lists one cluster at a time, so that memory holds the ids of one only; skips clusters
 * without Jobs.
 */
async function withExisting(
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

interface AssignedJob {
  assignment: Assignment;
  key: string;
  known: KnownJob;
}

function jobsIn(assignments: Assignments): AssignedJob[] {
  return [...assignments.values()].flatMap((assignment) =>
    [...assignment.jobs].map(([key, known]) => ({ assignment, key, known })),
  );
}
