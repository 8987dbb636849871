import type { Log } from '../adapters/log.ts';
import { messageOf } from '../adapters/errors.ts';
import type { Settings } from '../../workflows/job/settings.ts';
import { hasWorkflow, type KnownJob } from './dispatch.ts';
import type { SignalWithStart } from './send.ts';

export interface RollCallNeeds {
  jobs: ReadonlyMap<string, KnownJob>;
  settings: Settings;
  /** Ids of the workflows that run. */
  running: () => Promise<{ has(id: string): boolean }>;
  signal: SignalWithStart;
  log: Log;
}

/**
 * Makes sure that each live Job that we have to do with has its workflow: one that only waits would otherwise never be woken. A
 * workflow that is started here recalls its past from the ledger.
 */
export async function rollCall({ jobs, settings, running, signal, log }: RollCallNeeds): Promise<void> {
  const there = await running();
  const missing = [...jobs].filter(([key, job]) => hasWorkflow(settings, job) && !there.has(key));
  for (const [, { ref }] of missing) await signal(ref, [], { recall: true });
  log.info({ jobs: jobs.size, started: missing.length }, 'each live Job has its workflow');
}

/**
 * Tells the settings of this start to the workflows that wait for the deletion of their Job, or would: nothing else
 * happens to a finished Job, so that they would not learn that this controller was switched on or off.
 */
export async function tellSettings({
  jobs,
  running,
  signal,
  log,
  aborted,
}: RollCallNeeds & { aborted: AbortSignal }): Promise<void> {
  try {
    const there = await running();
    for (const [key, { ref, expires }] of jobs)
      if (expires && there.has(key) && !aborted.aborted) await signal(ref, [], { recall: true });
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'finished Jobs were not told the settings; the next start does');
  }
}
