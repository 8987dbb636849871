import type { Run } from '../../adapters/postgres/database.ts';
import { endedJobs, removeJobs } from '../horizon/ended-jobs.ts';
import { readHorizon } from '../../read-model/horizon.ts';

/** Jobs of one pass: a pass reads each copied table once. */
const BATCH = 100_000;

/** Removes the Jobs that ended before the horizon from the copies, as from the live tables. */
export async function honourHorizon(run: Run): Promise<void> {
  const horizon = await readHorizon(run);
  if (horizon === null) return;
  for (;;) {
    const jobs = await endedJobs(run, 'jobledger_rebuild', { horizon, limit: BATCH });
    if (jobs.length > 0) await removeJobs(run, 'jobledger_rebuild', jobs);
    if (jobs.length < BATCH) break;
  }
  // Only ids remain of a dropped month, and they do not name their Jobs: removed Jobs stay removed.
  await run({
    text: `delete from jobledger_rebuild.event_ids copied using jobledger.retention
      where copied.time < retention.events_from
        and not exists (select from jobledger.event_ids live where live.id = copied.id)`,
    values: [],
  });
}
