import type { Log } from '../adapters/log.ts';
import { messageOf } from '../adapters/errors.ts';
import type { Settings } from '../../workflows/job/settings.ts';
import type { Assignment, Assignments, KnownJob } from './assignment.ts';
import { hasWorkflow } from './dispatch.ts';
import type { Learn } from './learn.ts';
import type { Signal } from './send.ts';

export interface EnsureWorkflowsDependencies {
  assignments: Assignments;
  settings: Settings;
  /** Ids of the workflows that run. */
  running: () => Promise<{ has(id: string): boolean }>;
  learn: Learn;
  signal: Signal;
  log: Log;
}

/**
 * Makes sure that each live Job that we have to do with has its workflow, in the partitions of this dispatcher: one that
 * only waits would otherwise never be woken. A workflow that is started here recalls its past from the ledger.
 */
export async function ensureWorkflows({
  assignments,
  settings,
  running,
  learn,
  signal,
  log,
}: EnsureWorkflowsDependencies): Promise<void> {
  const there = await running();
  const missing = jobsIn(assignments).filter(
    ({ key, known }) => hasWorkflow(settings, known) && !there.has(key),
  );
  if (missing.length === 0) return;
  // A workflow may have ended with its Job since that was learnt: the live topic is asked once more, after the listing.
  const now = await learn(new Set(missing.map(({ assignment }) => assignment.partition)));
  let started = 0;
  for (const { assignment, key, known } of missing) {
    const isAlive = now.get(assignment.partition)?.jobs.has(key) === true && assignment.jobs.has(key);
    if (assignment.isOver || !isAlive) continue;
    await signal(known.ref, [], { recall: true, start: true });
    started += 1;
  }
  log.info({ missing: missing.length, started }, 'each live Job has its workflow');
}

/**
 * Tells the settings of this start to the workflows that wait for the deletion of their Job, or would: nothing else
 * happens to a finished Job, so that they would not learn that this controller was switched on or off.
 */
export async function tellSettings(
  { assignments, running, signal, log }: Omit<EnsureWorkflowsDependencies, 'learn' | 'settings'>,
  aborted: AbortSignal,
): Promise<void> {
  try {
    const there = await running();
    for (const { assignment, key, known } of jobsIn(assignments))
      if (known.expires && there.has(key) && !assignment.isOver && !aborted.aborted)
        await signal(known.ref, [], { recall: true, start: false });
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'finished Jobs were not told the settings; the next start does');
  }
}

function jobsIn(assignments: Assignments): { assignment: Assignment; key: string; known: KnownJob }[] {
  return [...assignments.values()].flatMap((assignment) =>
    [...assignment.jobs].map(([key, known]) => ({ assignment, key, known })),
  );
}
