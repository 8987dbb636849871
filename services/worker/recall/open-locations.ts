import type { PostgresConfig } from '../../adapters/config.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import type { Log } from '../../adapters/process/log.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import type { Shutdown } from '../../adapters/process/shutdown.ts';
import { locateStreams, type StreamLocations } from '../../read-model/stream-locations.ts';

/** The locations of streams in the ledger, from the projector's tables; null when no Postgres is configured. */
export function openLocations(
  config: { [Name in keyof PostgresConfig]?: PostgresConfig[Name] | undefined },
  { topics }: KafkaConnection,
  { log, shutdown }: { log: Log; shutdown: Shutdown },
): ((keys: readonly string[]) => Promise<StreamLocations>) | null {
  const { DATABASE_URL: url, DATABASE_WITHOUT_TLS } = config;
  if (url === undefined || url === '') return null;
  const database = openDatabase({ DATABASE_URL: url, DATABASE_WITHOUT_TLS }, log, {
    connections: 1,
    name: 'jobledger worker',
  });
  shutdown.onClose('postgres', () => database.close());
  return (keys) => locateStreams(database.run, topics.ledger, keys);
}
