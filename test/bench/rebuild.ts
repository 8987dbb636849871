import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { rebuild, type Rebuilt } from '../../services/projector/rebuild/rebuild.ts';
import { startFilledServers } from './ledger/filled-servers.ts';

/**
 * `npm run bench:rebuild [-- EVENTS]`: how long a rebuild from a million events takes, on servers of its own: into
 * empty tables, so that every row is written, with no difference, the usual case, and of one table, as after a version that
 * changes only that. On Linux it prints the CPU time of Postgres too: with an extra core both work concurrently.
 */
const EVENTS = Number(process.argv[2] ?? 1_000_000);

const { servers, connection, database, postgres, stop } = await startFilledServers(EVENTS);
try {
  const all = { postgres, connection, projection: null, isCheck: false, onProgress: () => undefined };
  await measured('into empty tables', () => rebuild(all));
  await measured('nothing differs', () => rebuild(all));
  await measured('the table of Jobs only, nothing differs', () => rebuild({ ...all, projection: 'jobs' }));
} finally {
  await stop();
}

async function measured(kind: string, work: () => Promise<Rebuilt>): Promise<void> {
  // The time to generate the ledger is not measured.
  globalThis.gc?.();
  const [begin, cpu, ofPostgres] = [performance.now(), process.cpuUsage(), postgresSeconds()];
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
    `${((user + system) / records).toFixed(1)} µs of this process each, ${(((postgresSeconds() - ofPostgres) * 1e6) / records).toFixed(1)} of Postgres`,
    `${(peak / 1e6).toFixed(0)} MB of heap at most, uncollected garbage included`,
  ];
  process.stdout.write(`${figures.join('; ')}\n`);
}

/** Postgres takes a moment to drop a connection's temporary tables; only then is its process counted. */
async function connectionEnded(): Promise<void> {
  const open = sql`select from pg_stat_activity where application_name = 'jobledger admin rebuild'`;
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
