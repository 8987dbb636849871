import { errorMessage } from '../adapters/errors.ts';
import type { Database } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';

const INTERVAL_MS = 30_000;

/** The number of the advisory lock of this work, which the triggers of prices and teams take too. The number is arbitrary. */
const LOCK = 7_213_305_885;

/** Counts the stale hours of ended attempts at intervals, so that the views read sums. */
export async function keepUsage(
  database: Pick<Database, 'run' | 'transaction'>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await countStaleUsage(database, signal);
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: errorMessage(error) }, 'the hours of attempts are not counted; trying again');
    }
    await pause(INTERVAL_MS, signal);
  }
}

/**
 * Counts each hour in which pods ended and that is stale now, the newest first, in a transaction for each hour. Changes
 * of prices and teams wait for this transaction (mark_stale_costs), because they mark the counted hours.
 * @throws the first error, after every other hour was counted; UnavailableError.
 */
export async function countStaleUsage(
  { run, transaction }: Pick<Database, 'run' | 'transaction'>,
  signal?: AbortSignal,
): Promise<void> {
  const hours = await run<{ hour: string }>(
    sql`select distinct hour from jobledger.stale_usage order by hour desc`,
  );
  const errors: unknown[] = [];
  for (const { hour } of hours) {
    if (signal?.aborted === true) return;
    const isCounted = await countHour(transaction, hour).catch(async (error: unknown) => {
      // An hour may take too long, or its rows may be at fault. Without Postgres, this statement fails too.
      await run(sql`select`);
      errors.push(error);
      return true;
    });
    // Another projector counts.
    if (!isCounted) return;
  }
  if (errors.length > 0) throw errors[0];
}

/** Counts an hour again. False when another projector counts. */
function countHour(transaction: Database['transaction'], hour: string): Promise<boolean> {
  return transaction(async (each) => {
    const [found] = await each<{ locked: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK}) as locked`);
    if (found?.locked !== true) return false;
    // A change that is committed after this statement leaves another mark, so that its hour is counted again.
    await each(sql`delete from jobledger.stale_usage where hour = ${hour}`);
    await each(sql`delete from jobledger.ended_usage where ended_in = ${hour}`);
    await each(sql`insert into jobledger.ended_usage select * from jobledger.usage_ended_in(${hour})`);
    return true;
  });
}
