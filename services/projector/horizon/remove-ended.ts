import type { Database } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { readHorizon } from '../../read-model/state/horizon.ts';
import { findEndedJobs, removeJobs } from './ended-jobs.ts';

/** The number of Jobs per transaction, small enough that its locks delay no other session. */
const BATCH = 100;

/** The number of the advisory lock of removals. The number is arbitrary; no other program uses it. */
const LOCK = 7_213_305_884;

/**
 * Records the horizon in the tables, so that queries about earlier instants are refused. The horizon never moves back.
 */
export async function storeHorizon(database: Pick<Database, 'run'>, horizon: string): Promise<void> {
  await database.run(
    sql`update jobledger.retention set horizon = ${horizon} where horizon is null or horizon < ${horizon}`,
  );
}

/**
 * Removes the Jobs that ended before the stored horizon, in small transactions. Returns the number of removed Jobs;
 * stops if another process removes at the same time.
 */
export async function removeEndedJobs(
  database: Database,
  { signal, batch = BATCH }: { signal?: AbortSignal; batch?: number } = {},
): Promise<number> {
  const horizon = await readHorizon(database.run);
  if (horizon === null) return 0;
  const removeSome = (): Promise<number> =>
    database.transaction(async (run) => {
      const [found] = await run<{ locked: boolean }>(
        sql`select pg_try_advisory_xact_lock(${LOCK}) as locked`,
      );
      if (found?.locked !== true) return 0;
      const jobs = await findEndedJobs(run, 'jobledger', { horizon, limit: batch });
      if (jobs.length > 0) await removeJobs(run, 'jobledger', jobs);
      return jobs.length;
    });
  for (let removed = 0; ;) {
    const some = await removeSome();
    removed += some;
    if (some < batch || signal?.aborted === true) return removed;
  }
}
