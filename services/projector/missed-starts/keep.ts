import { errorMessage } from '../../adapters/errors.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import { followWatches } from '../../live-topic/watches.ts';
import { hasCaughtUp } from '../caught-up.ts';
import { countMissedStarts } from './count.ts';

const INTERVAL_MS = 5 * 60_000;
/** A start that is later than this time, in milliseconds, counts as missed until its Job is observed. */
const SETTLE_MS = 10 * 60_000;

/**
 * Stores the missed starts of CronJobs at intervals, as far as the Jobs of each cluster were observed: a cluster without
 * an ingester, or whose CronJobs the ingester may not read, is not counted. Nothing is counted while the tables lag.
 */
export async function keepMissedStarts(
  database: Pick<Database, 'run' | 'transaction'>,
  { connection, log, signal }: { connection: KafkaConnection; log: Log; signal: AbortSignal },
): Promise<void> {
  const readWatches = followWatches(connection);
  while (!signal.aborted) {
    try {
      const watches = await readWatches();
      const clusters = await database.run<{ name: string }>(
        sql`select name from jobledger.clusters where not not_recorded ? 'cronjobs' and detached_at is null order by name`,
      );
      if (await hasCaughtUp(database, connection))
        for (const { name: cluster } of clusters) {
          const receivedAt = watches.get(cluster)?.jobsReceivedAt ?? null;
          if (receivedAt === null) continue;
          const until = Math.min(Date.parse(receivedAt), Date.now()) - SETTLE_MS;
          await countMissedStarts(database, { cluster, until, signal });
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
