import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalServers } from '../../infra/local/servers.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { extentsOf } from '../../services/adapters/kafka/scan.ts';
import { createLog } from '../../services/adapters/log.ts';
import { openDatabase } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import { rebuild, type Rebuilt } from '../../services/projector/rebuild/rebuild.ts';
import { fillKafka } from './ledger/fill.ts';
import { generateLedger } from './ledger/generate.ts';

/**
 * `npm run bench:rebuild [-- EVENTS]`: how long it takes to make tables again from a ledger of a million events, on
 * servers of its own: once into empty tables, once to find that nothing differs.
 */
const EVENTS = Number(process.argv[2] ?? 1_000_000);
const DAYS = 35;

const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-bench-'));
const servers = await startLocalServers({ stateDir, postgres: true, kafka: true });
const log = createLog('bench');
log.level = 'silent';
try {
  const { databaseUrl = '', kafkaBrokers = '' } = servers.addresses;
  const config = readConfig(kafkaEnvironment, { KAFKA_BROKERS: kafkaBrokers });
  const connection = connectKafka(config, log);
  const topic = connection.topics.ledger;
  await fillKafka(config, generateLedger({ events: EVENTS, days: DAYS }), { log, say: () => undefined });
  const database = openDatabase({ DATABASE_URL: databaseUrl }, log);
  await migrate(database, join(process.cwd(), 'services/projector/migrations'));
  await createEnsureMonths(database)(
    Array.from({ length: DAYS + 1 }, (_none, day) => ({
      id: `month of ${day} days ago`,
      time: new Date(Date.now() - day * 86_400_000).toISOString(),
    })),
  );
  for (const [partition, { end }] of await extentsOf(connection, topic))
    await database.run(
      sql`insert into jobledger.positions (topic, partition, next_offset, applied_at) values (${topic}, ${partition}, ${end.toString()}, now())`,
    );
  for (const kind of ['into empty tables', 'nothing differs'])
    await measured(kind, async () => {
      const options = {
        postgres: { DATABASE_URL: databaseUrl },
        connection,
        projection: null,
        isCheck: false,
      };
      return rebuild({ ...options, onProgress: () => undefined });
    });
  await database.close();
} finally {
  await servers.stop();
  rmSync(stateDir, { recursive: true, force: true });
}

async function measured(kind: string, work: () => Promise<Rebuilt>): Promise<void> {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  const { records, tables } = await work();
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const rows = tables.reduce((sum, table) => sum + Number(table.rows), 0);
  process.stdout.write(
    `${kind}: ${records} events, ${rows} rows in ${seconds.toFixed(1)} s, ${(records / seconds).toFixed(0)} events a second; ${((user + system) / records).toFixed(0)} µs of this process each, ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB\n`,
  );
}
