import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
 * `npm run bench:rebuild [-- EVENTS]`: how long a rebuild from a million events takes, on servers of its own: once into
 * empty tables, so that every row is written, and once with no difference, the usual case. On Linux it prints the CPU
 * time of Postgres too: with an extra core both work concurrently.
 */
const EVENTS = Number(process.argv[2] ?? 1_000_000);
const DAYS = 35;

const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-bench-'));
const servers = await startLocalServers({ stateDir, postgres: true, kafka: true });
const log = createLog('bench');
log.level = 'silent';
const { databaseUrl = '', kafkaBrokers = '' } = servers.addresses;
const database = openDatabase({ DATABASE_URL: databaseUrl }, log);
try {
  const config = readConfig(kafkaEnvironment, { KAFKA_BROKERS: kafkaBrokers });
  const connection = connectKafka(config, log);
  const topic = connection.topics.ledger;
  await fillKafka(config, await generateLedger({ events: EVENTS, days: DAYS }), {
    log,
    say: () => undefined,
  });
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
} finally {
  await database.close();
  await servers.stop();
  rmSync(stateDir, { recursive: true, force: true });
}

async function measured(kind: string, work: () => Promise<Rebuilt>): Promise<void> {
  // The time to generate the ledger is not measured.
  globalThis.gc?.();
  const [begin, cpu, postgres] = [performance.now(), process.cpuUsage(), postgresSeconds()];
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().heapUsed)), 100);
  const { records, tables } = await work();
  clearInterval(watch);
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await connectionEnded();
  const rows = tables.reduce((sum, table) => sum + Number(table.rows), 0);
  const figures = [
    `${kind}: ${records} events, ${rows} rows in ${seconds.toFixed(1)} s`,
    `${(records / seconds).toFixed(0)} events a second`,
    `${((user + system) / records).toFixed(1)} µs of this process each, ${(((postgresSeconds() - postgres) * 1e6) / records).toFixed(1)} of Postgres`,
    `${(peak / 1e6).toFixed(0)} MB of heap at most, uncollected garbage included`,
  ];
  process.stdout.write(`${figures.join('; ')}\n`);
}

/** Postgres takes a moment to drop a connection's temporary tables; only then is its process counted. */
async function connectionEnded(): Promise<void> {
  const open = sql`select from pg_stat_activity where application_name = 'jobledger rebuild'`;
  while ((await database.run(open)).length > 0) await sleep(50);
  await sleep(2000);
}

/** CPU time of the server and of its ended processes, such as those of closed connections. */
function postgresSeconds(): number {
  try {
    const [, rest = ''] = readFileSync(`/proc/${servers.pid('postgres')}/stat`, 'utf8').split(') ');
    const ticks = rest.split(' ').slice(11, 15).map(Number);
    return ticks.reduce((sum, each) => sum + each, 0) / 100;
  } catch {
    return Number.NaN;
  }
}
