import { errorMessage } from '../../adapters/errors.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import { hasCaughtUp } from '../caught-up.ts';
import { countMissedStarts, skipUnobserved } from './count.ts';

const INTERVAL_MS = 5 * 60_000;
/** A start that is later than this time, in milliseconds, counts as missed until its Job is observed. */
const SETTLE_MS = 10 * 60_000;

/**
 * Stores the missed starts of CronJobs at intervals, as far as the Jobs of each cluster were received: a cluster without
 * an ingester, or whose CronJobs the ingester may not read, is not counted. Nothing is counted while the tables lag.
 */
export async function keepMissedStarts(
  database: Pick<Database, 'run' | 'transaction'>,
  { connection, log, signal }: { connection: KafkaConnection; log: Log; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await hasCaughtUp(database, connection)) {
        await skipUnobserved(database.run, Date.now());
        for (const { cluster, received_ms: received } of await receivedJobs(database)) {
          const until = Math.min(received, Date.now()) - SETTLE_MS;
          await countMissedStarts(database, { cluster, until, signal });
        }
      }
    } catch (error) {
      if (!signal.aborted)
        log.warn(
          { error: errorMessage(error) },
          'the missed starts of CronJobs are not counted; trying again',
        );
    }
    await pause(INTERVAL_MS, signal);
  }
}

/** The clusters whose CronJobs are recorded, with the time in milliseconds up to which their Jobs were received. */
function receivedJobs({ run }: Pick<Database, 'run'>): Promise<{ cluster: string; received_ms: number }[]> {
  return run(
    sql`select c.name as cluster, floor(extract(epoch from w.jobs_received_at) * 1000)::float8 as received_ms
        from jobledger.clusters c
        join jobledger.cluster_watches w on w.cluster = c.name
        where not c.not_recorded ? 'cronjobs' and c.detached_at is null and w.jobs_received_at is not null
        order by c.name`,
  );
}
