import { errorMessage } from '../../adapters/errors.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import { hasCaughtUp } from '../caught-up.ts';
import { removeEndedJobs, storeHorizon } from './remove-ended.ts';

export interface KeepHorizonDependencies {
  database: Database;
  connection: KafkaConnection;
  /** The recorded horizon; null without a horizon. */
  horizon: () => string | null;
  signal: AbortSignal;
}

const INTERVAL_MS = 60_000;
/** The interval while the tables lag, in milliseconds. */
const LAGGING_MS = 2000;

/**
 * Removes the Jobs before the recorded horizon at intervals, also after the tables were lost and folded again, and
 * after an import of old Jobs. While the tables lag, no Job is removed, because its later events would add rows again.
 */
export async function keepHorizon({
  database,
  connection,
  horizon,
  signal,
}: KeepHorizonDependencies): Promise<void> {
  while (!signal.aborted) {
    let isLagging = false;
    try {
      const recorded = horizon();
      if (recorded !== null) {
        await storeHorizon(database, recorded);
        isLagging = !(await hasCaughtUp(database, connection));
        if (!isLagging) {
          const removed = await removeEndedJobs(database, { signal });
          if (removed > 0)
            connection.log.info({ removed, horizon: recorded }, 'removed Jobs that ended before the horizon');
        }
      }
    } catch (error) {
      connection.log.warn(
        { error: errorMessage(error) },
        'Jobs before the horizon are not removed; trying again',
      );
    }
    await pause(isLagging ? LAGGING_MS : INTERVAL_MS, signal);
  }
}
