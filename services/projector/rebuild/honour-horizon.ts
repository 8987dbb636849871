import type { Run } from '../../adapters/postgres/database.ts';
import { findEndedJobs, removeJobs } from '../horizon/ended-jobs.ts';
import { readHorizon } from '../../read-model/horizon.ts';

/** The number of Jobs that one pass removes; a pass reads each copied table once. */
const BATCH = 100_000;

/** Removes the Jobs that ended before the horizon from the copies, as `keepHorizon` does in the live tables. */
export async function honourHorizon(run: Run): Promise<void> {
  const horizon = await readHorizon(run);
  if (horizon === null) return;
  for (;;) {
    const jobs = await findEndedJobs(run, 'jobledger_rebuild', { horizon, limit: BATCH });
    if (jobs.length > 0) await removeJobs(run, 'jobledger_rebuild', jobs);
    if (jobs.length < BATCH) break;
  }
  // A dropped month leaves only ids, which do not name their Jobs, so removed Jobs stay removed.
  await run({
    text: `delete from jobledger_rebuild.event_ids copied using jobledger.retention
      where copied.time < retention.events_from
        and not exists (select from jobledger.event_ids live where live.id = copied.id)`,
    values: [],
  });
}
