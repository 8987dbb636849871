import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaVariables } from '../../../infra/local/state/addresses.ts';
import { startLocalServers, type LocalServers } from '../../../infra/local/local-servers.ts';
import { kafkaEnvironment, readConfig, type PostgresConfig } from '../../../services/adapters/config.ts';
import { connectKafka, type KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { readExtents } from '../../../services/adapters/kafka/scan.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { openDatabase, type Database } from '../../../services/adapters/postgres/database.ts';
import { sql } from '../../../services/adapters/postgres/statement.ts';
import { migrate } from '../../../services/projector/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../../services/projector/migrations.ts';
import { createEnsureMonths } from '../../../services/projector/months.ts';
import { fillKafka } from './fill.ts';
import { generateLedger } from './generate.ts';

/** Kafka with a generated ledger, and Postgres with empty tables that count as applied up to its end. */
export interface FilledServers {
  servers: LocalServers;
  connection: KafkaConnection;
  database: Database;
  postgres: PostgresConfig;
  stop(): Promise<void>;
}

const DAYS = 35;

export async function startFilledServers(events: number): Promise<FilledServers> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-bench-'));
  const servers = await startLocalServers({ stateDir, postgres: true, kafka: true });
  const log = createLog('bench');
  log.level = 'silent';
  const { databaseUrl = '' } = servers.addresses;
  const postgres = { DATABASE_URL: databaseUrl };
  const database = openDatabase(postgres, log);
  const config = readConfig(kafkaEnvironment, kafkaVariables(servers.addresses));
  const connection = connectKafka(config, log);
  const stop = async (): Promise<void> => {
    await database.close();
    await servers.stop();
    rmSync(stateDir, { recursive: true, force: true });
  };
  try {
    const ledger = await generateLedger({ events, days: DAYS });
    await fillKafka(config, ledger, { log, report: () => undefined });
    await migrate(database, MIGRATIONS_FOLDER);
    await createEnsureMonths(database)(
      Array.from({ length: DAYS + 1 }, (_none, day) => ({
        id: `month of ${day} days ago`,
        time: new Date(Date.now() - day * 86_400_000).toISOString(),
      })),
    );
    const { ledger: topic } = connection.topics;
    for (const [partition, { end }] of await readExtents(connection, topic))
      await database.run(
        sql`insert into jobledger.positions (topic, partition, begins_at, next_offset, applied_at) values (${topic}, ${partition}, 0, ${end.toString()}, now())`,
      );
  } catch (error) {
    await stop();
    throw error;
  }
  return { servers, connection, database, postgres, stop };
}
