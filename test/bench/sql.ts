import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { postgresEnvironment, readConfig } from '../../services/adapters/config.ts';
import { table } from '../../cli/print/table.ts';
import { ask, readSqlPage, withVariables, type Question } from '../support/sql-page.ts';

/**
 * `npm run bench:sql [-- --runs N --jobs N]`: how long each question of docs/sql.md takes on the ledger in DATABASE_URL
 * (`npm run fill -- postgres` makes one). Questions about the fleet cover all of it; those about one Job are asked
 * about many Jobs. Exits with 1 when a p95 is over its limit.
 */
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, jobs: { type: 'string', default: '100' } },
});

/** Milliseconds for p95. */
const LIMITS = { job: 50, fleet: 2000 };

type Variables = Record<string, string>;

interface Timing {
  title: string;
  rows: number;
  /** Milliseconds, ascending. */
  times: number[];
  limit: number;
}

const pool = new Pool({ connectionString: readConfig(postgresEnvironment).DATABASE_URL, max: 1 });
try {
  const fleet = await fleetVariables();
  const jobs = (await jobVariables(Number(values.jobs))).map((job) => ({ ...job, ...fleet }));
  const again = Array.from({ length: Number(values.runs) }, () => fleet);
  const timings: Timing[] = [];
  for (const question of readSqlPage().questions)
    timings.push(await timed(question, question.isOfJob ? jobs : again));
  report(timings);
  if (timings.some(isMissed)) process.exitCode = 1;
} finally {
  await pool.end();
}

/** The whole time of the ledger, and the last night in it. */
async function fleetVariables(): Promise<Variables> {
  const { rows } = await ask(
    pool,
    `select min(time), date_trunc('day', max(time)) + interval '3 hours 12 minutes', count(*), max(time) from jobledger.events`,
  );
  const [since = '', at = '', events = '0', until = ''] = rows[0] ?? [];
  process.stdout.write(`${events} events since ${since}\n`);
  return { since, at, until };
}

/** A fixed sample of Jobs, half of them Indexed. */
async function jobVariables(count: number): Promise<Variables[]> {
  const { columns, rows } = await ask(
    pool,
    `(select cluster, namespace, name as job, '0' as index from jobledger.jobs
      where completion_mode = 'Indexed' order by md5(uid) limit ${Math.ceil(count / 2)})
     union all
     (select cluster, namespace, name, '0' from jobledger.jobs
      where completion_mode is distinct from 'Indexed' order by md5(uid) limit ${Math.floor(count / 2)})`,
  );
  return rows.map((row) => Object.fromEntries(row.map((value, at) => [columns[at], value])) as Variables);
}

async function timed({ title, statement, isOfJob }: Question, variables: Variables[]): Promise<Timing> {
  const times: number[] = [];
  let count = 0;
  for (const each of variables) {
    const begin = performance.now();
    const { rows } = await ask(pool, withVariables(statement, each));
    times.push(performance.now() - begin);
    count = Math.max(count, rows.length);
  }
  return {
    title,
    rows: count,
    times: times.toSorted((a, b) => a - b),
    limit: LIMITS[isOfJob ? 'job' : 'fleet'],
  };
}

function quantile({ times }: Timing, share: number): number {
  return times[Math.ceil(times.length * share) - 1] ?? 0;
}

function isMissed(timing: Timing): boolean {
  return quantile(timing, 0.95) > timing.limit;
}

function report(timings: readonly Timing[]): void {
  const rows = timings.map((timing) => [
    timing.title,
    String(timing.rows),
    quantile(timing, 0.5).toFixed(1),
    quantile(timing, 0.95).toFixed(1),
    `${timing.limit}${isMissed(timing) ? '  MISSED' : ''}`,
  ]);
  process.stdout.write(`${table(['question', 'rows', 'p50 ms', 'p95 ms', 'limit'], rows)}\n`);
}
