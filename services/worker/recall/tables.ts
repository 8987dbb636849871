import type { PostgresConfig } from '../../adapters/config.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import type { Log } from '../../adapters/process/log.ts';
import { openDatabase, type Run } from '../../adapters/postgres/database.ts';
import type { Shutdown } from '../../adapters/process/shutdown.ts';
import { areOfOtherCluster } from '../../read-model/state/same-cluster.ts';
import { locateStreams, type StreamLocations } from '../../read-model/streams/stream-locations.ts';

/** The locations of streams in the ledger, from the tables. */
type Locate = (keys: readonly string[]) => Promise<StreamLocations | null>;

/** Opens the projector's tables; returns null when no Postgres is configured. */
export function openTables(
  config: { [Name in keyof PostgresConfig]?: PostgresConfig[Name] | undefined },
  { log, shutdown }: { log: Log; shutdown: Shutdown },
): Run | null {
  const { DATABASE_URL: url, DATABASE_WITHOUT_TLS } = config;
  if (url === undefined || url === '') return null;
  const database = openDatabase({ DATABASE_URL: url, DATABASE_WITHOUT_TLS }, log, {
    connections: 1,
    name: 'jobledger worker',
  });
  shutdown.onClose('postgres', () => database.close());
  return database.run;
}

/**
 * Returns a function that finds the places of streams; its result is null when the tables were made from the ledger of
 * another Kafka cluster.
 */
export function createLocate(
  run: Run,
  { topics, log }: Pick<KafkaConnection, 'topics' | 'log'>,
  cluster: string | null,
): Locate {
  return async (keys) => {
    if (!(await areOfOtherCluster(run, topics.ledger, cluster)))
      return locateStreams(run, topics.ledger, keys);
    log.warn('the tables were made from the ledger of another Kafka cluster; reading the whole ledger');
    return null;
  };
}
