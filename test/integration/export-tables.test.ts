import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CLUSTERS, EXPORTED } from '../../cli/verbs/export/tables/exported-tables.ts';
import { readManifest, type TablesManifest } from '../../cli/verbs/export/tables/manifest.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { openDuckDb, type DuckDb } from '../support/duckdb.ts';
import { eventually } from '../support/eventually.ts';

jest.setTimeout(180_000);

const EVENTS = 6000;
/** Names with signs that a path cannot have, or that a reader could take for a number. */
const ODD_CLUSTERS = ['../prod/eu west=1', '7'];

let ledger: ALedger;
let duckdb: DuckDb;
const folder = mkdtempSync(join(tmpdir(), 'jobledger-export-tables-'));
const history = join(folder, 'history');

beforeAll(async () => {
  ledger = await startLedger();
  duckdb = await openDuckDb(folder);
  // The ledger ends in the second month, which is over.
  const until = Date.parse('2026-11-02T00:00:00Z');
  const records = await generateLedger({
    events: EVENTS,
    until,
    days: 4,
    variants: 3,
    seed: 24,
    suspended: 2,
  });
  await ledger.append([...records]);
  await ledger.start('projector');
  await ledger.applied();
  await ledger.services.stop();
  for (const cluster of ODD_CLUSTERS) {
    await insertRow('clusters', { name: cluster });
    await insertRow('gaps', { cluster, id: cluster });
  }
  for (const [table, values] of Object.entries(NOT_GENERATED)) await insertRow(table, values);
  await insertRow('applied_prices', { event_id: 'huge', cluster: '*', per_hour: '1e26' });
}, 240_000);

afterAll(async () => {
  duckdb.close();
  await ledger?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Rows of the tables that have none in a generated ledger. */
const NOT_GENERATED: Readonly<Record<string, Record<string, unknown>>> = {
  cron_jobs: { uid: 'c' },
  cron_job_versions: { uid: 'c' },
  cron_job_starts: { cron_job_uid: 'c', scheduled_at: '2026-10-31T00:00:00Z' },
  cron_job_events: {
    cron_job_uid: 'c',
    type: 'cronjob.decided',
    data: '{"now": 1793404800000, "number": 1}',
  },
  missed_starts: { cron_job_uid: 'c' },
  node_versions: { node: 'n1', capacity: '{"cpu": 8}' },
  placements: { granted: '[{"indexes": "0-3", "since": "2026-10-31T00:00:00.5Z", "decision": "d"}]' },
  api_requests: { resource: 'jobs', verb: 'create', panicked: false },
  kubernetes_events: { kind: 'Pod', type: 'Warning', is_last: false },
  dropped_kubernetes_events: { namespace: 'default', cause: 'job-budget' },
  applied_prices: { cluster: '*', per_hour: '0.030000000001' },
  chains: { conditions: '[{"job": "first", "status": "met"}]' },
};

/** A value for each type of column. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  text: 'größe',
  boolean: true,
  smallint: 1,
  integer: -1,
  bigint: '9007199254740993',
  numeric: '1000000000000000000000000000001',
  jsonb: '{"exact": 9007199254740993.10}',
  'timestamp with time zone': '2026-10-31T00:00:00.000001Z',
};

/** Inserts a row with these values, and with a sample in each other column that must not be null. */
async function insertRow(table: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  const { rows } = await ledger.client.query<Column>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'jobledger' and table_name = $1 and is_nullable = 'NO'`,
    [table],
  );
  const row = { ...Object.fromEntries(rows.map(({ name, type }) => [name, SAMPLES[type]])), ...values };
  const names = Object.keys(row).map((name) => `"${name}"`);
  const places = names.map((_name, at) => `$${at + 1}`);
  await ledger.client.query(
    `insert into jobledger.${table} (${names.join(', ')}) values (${places.join(', ')})`,
    Object.values(row),
  );
}

interface Ran {
  exitCode: number;
  stderr: string;
}

function exportTo(
  directory: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const all = ['cli/jobledger.mjs', 'admin', 'export', '--format', 'parquet', '--out', directory, ...args];
  return new Promise((resolve) => {
    execFile(
      'node',
      all,
      { env: { ...process.env, ...ledger.environment, ...env } },
      (error, _stdout, stderr) => resolve({ exitCode: Number(error?.code ?? 0), stderr }),
    );
  });
}

function manifestOf(directory: string): TablesManifest {
  const manifest = readManifest(directory);
  if (manifest === null) throw new Error(`${directory} has no manifest`);
  return manifest;
}

/** The paths of all files below a directory, relative to it. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(directory, path)).isFile())
    .toSorted();
}

/** Instants with microseconds. */
const INSTANT = { postgres: 'YYYY-MM-DD HH24:MI:SS.US', duckdb: '%Y-%m-%d %H:%M:%S.%f' };

interface Column {
  name: string;
  type: string;
}

/** The SQL of both databases for a value as the same text. */
function asText({ name, type }: Column): { postgres: string; duckdb: string } {
  const column = `"${name}"`;
  if (type === 'timestamp with time zone')
    return {
      postgres: `to_char(${column} at time zone 'UTC', '${INSTANT.postgres}')`,
      duckdb: `strftime(timezone('UTC', ${column}), '${INSTANT.duckdb}')`,
    };
  if (type === 'interval')
    return { postgres: `(extract(epoch from ${column}) * 1e6)::bigint::text`, duckdb: `${column}::varchar` };
  if (type === 'numeric')
    return {
      // A number with more digits than a decimal of Parquet is null.
      postgres: name.endsWith('version')
        ? `round(${column}, 0)::text`
        : `case when abs(${column}) < 1e26 then round(${column}, 12)::text end`,
      duckdb: `${column}::varchar`,
    };
  return { postgres: `${column}::text`, duckdb: `${column}::varchar` };
}

async function columnsOf(table: string): Promise<Column[]> {
  const { rows } = await ledger.client.query<Column>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'jobledger' and table_name = $1 order by ordinal_position`,
    [table],
  );
  return rows;
}

/** The rows that do not count until now. */
const SETTLED: Readonly<Record<string, string>> = {
  attempts: 'held_until is not null or held_from is null',
  usage_hourly: `hour < '2026-11-02T00:00:00Z'`,
};

/** The rows of a table in both databases, as sorted lines of JSON. */
async function bothRows(table: string): Promise<{ postgres: string[]; duckdb: string[] }> {
  const columns = await columnsOf(table);
  const selected = (of: 'postgres' | 'duckdb'): string =>
    columns.map((column, at) => `${asText(column)[of]} as c${at}`).join(', ');
  const lines = (rows: readonly object[]): string[] =>
    rows.map((row) => JSON.stringify(Object.values(row))).toSorted();
  const where = SETTLED[table] ?? 'true';
  const { rows } = await ledger.client.query<object>(
    `select ${selected('postgres')} from jobledger.${table} where ${where}`,
  );
  const found = await duckdb.rows(
    `select ${selected('duckdb')} from read_parquet('history/${table}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false) where ${where}`,
  );
  return { postgres: lines(rows), duckdb: lines(found) };
}

/** The statements of docs/parquet.md for DuckDB: those that make the views, and those that ask. */
function statementsOfThePage(): [string, string] {
  const text = readFileSync('docs/parquet.md', 'utf8');
  const [views = '', questions = ''] = Array.from(
    text.matchAll(/```sql\n([^`]+)```/g),
    ([, sql = '']) => sql,
  );
  return [views, questions];
}

describe('an export of tables', () => {
  beforeAll(async () => {
    const { exitCode, stderr } = await exportTo(history);
    if (exitCode !== 0 || !/^wrote \d+ rows in \d+ files to /m.test(stderr)) throw new Error(stderr);
  });

  it.each([CLUSTERS, ...Object.keys(EXPORTED)])('has the rows of %s, read with DuckDB', async (table) => {
    const both = await bothRows(table);
    expect(both.duckdb).toEqual(both.postgres);
    expect(both.duckdb).not.toEqual([]);
  });

  it('has a directory for each month, also of clusters with odd names', () => {
    expect(readdirSync(join(history, 'jobs', 'cluster=east')).toSorted()).toEqual([
      'month=2026-10',
      'month=2026-11',
    ]);
    expect(readdirSync(join(history, 'gaps'))).toEqual(
      expect.arrayContaining(['cluster=..%2Fprod%2Feu%20west%3D1', 'cluster=7']),
    );
  });

  it('has a manifest with each file, its digest, and the positions of the ledger', async () => {
    const manifest = manifestOf(history);
    expect(manifest.unfinishedSince).toBeNull();
    expect(manifest.files.map(({ path }) => path).toSorted()).toEqual(
      filesIn(history).filter((path) => path !== 'manifest.json'),
    );
    for (const { path, sha256, bytes } of manifest.files) {
      const content = readFileSync(join(history, path));
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
      expect(content.length).toBe(bytes);
    }
    const [snapshot] = Object.values(manifest.snapshots);
    expect(
      new Map(snapshot?.positions.map(({ partition, nextOffset }) => [partition, BigInt(nextOffset)])),
    ).toEqual(await ledger.positions());
    const rows = manifest.files.filter(({ table }) => table === 'events').map((file) => file.rows);
    expect(rows.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(EVENTS * 0.9);
  });

  it('describes each column', async () => {
    for (const [table, { about, columns }] of Object.entries(manifestOf(history).tables)) {
      expect(about).not.toBe('');
      const names = (await columnsOf(table)).map(({ name }) => name).filter((name) => name !== 'cluster');
      expect(columns.map(({ name }) => name)).toEqual(names);
      for (const column of columns) expect(column.about).not.toBe('');
    }
  });

  it('answers the questions of docs/parquet.md, and job_as_of as Postgres does', async () => {
    const [views, questions] = statementsOfThePage();
    await duckdb.rows(views);
    for (const question of questions.split(';').filter((each) => each.trim() !== ''))
      await duckdb.rows(question);
    const { rows: versions } = await ledger.client.query<Record<string, string>>(
      `select cluster, namespace, name, seen_at::text as at from jobledger.job_statuses
       order by md5(uid || resource_version) limit 60`,
    );
    expect(versions).toHaveLength(60);
    for (const { cluster = '', namespace = '', name = '', at = '' } of versions) {
      const { rows } = await ledger.client.query<Record<string, string>>({
        text: `select uid, kubectl_status, resource_version::text from jobledger.job_as_of($1, $2, $3, $4)`,
        values: [cluster, namespace, name, at],
      });
      expect(
        await duckdb.rows(
          `select uid, kubectl_status, resource_version from job_as_of('${cluster}', '${namespace}', '${name}', '${at}')`,
        ),
      ).toEqual(rows);
    }
  });
});

describe('a repeated export', () => {
  it('keeps complete files, and replaces files whose rows may change', async () => {
    const before = manifestOf(history).files;
    const complete = before.filter((file) => file.complete);
    expect(complete.map(({ table }) => table)).toEqual(
      expect.arrayContaining(['events', 'job_statuses', 'gaps']),
    );
    expect(before.filter((file) => !file.complete).map(({ table }) => table)).toEqual(
      expect.arrayContaining(['clusters', 'jobs']),
    );
    const [damaged] = complete;
    writeFileSync(join(history, damaged?.path ?? ''), 'damaged');
    const { exitCode, stderr } = await exportTo(history);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(`and kept ${complete.length - 1} files of earlier exports`),
    });
    const after = manifestOf(history);
    const kept = after.files.filter((file) => before.some((each) => each.snapshot === file.snapshot));
    expect(kept.map(({ path }) => path).toSorted()).toEqual(
      complete
        .filter((file) => file !== damaged)
        .map(({ path }) => path)
        .toSorted(),
    );
    expect(Object.keys(after.snapshots)).toHaveLength(2);
    const found = await bothRows(damaged?.table ?? '');
    expect(found.duckdb).toEqual(found.postgres);
  });

  it('writes only the chosen tables, month and cluster', async () => {
    const chosen = join(folder, 'chosen');
    const args = ['--tables', 'pods,jobs', '--month', '2026-10', '--cluster', 'east'];
    expect((await exportTo(chosen, args)).exitCode).toBe(0);
    expect(filesIn(chosen)).toEqual([
      'jobs/cluster=east/month=2026-10/part-0.parquet',
      'manifest.json',
      'pods/cluster=east/month=2026-10/part-0.parquet',
    ]);
  });

  it.each([
    [['--cluster', 'nowhere'], 'the tables have no cluster named "nowhere"'],
    [['--month', '2020-01'], '--month 2020-01: the tables have no row of this month'],
  ])('is refused with advice: %j', async (args, message) => {
    const { exitCode, stderr } = await exportTo(join(folder, 'refused'), args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) });
  });

  it('is refused while another export writes to the directory', async () => {
    const lock = `hashtextextended('jobledger export ${history}', 0)`;
    await ledger.client.query(`select pg_advisory_lock(${lock})`);
    const { exitCode, stderr } = await exportTo(history);
    await ledger.client.query(`select pg_advisory_unlock(${lock})`);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(`another export writes to ${history}`),
    });
  });

  it('works with the role for readers', async () => {
    await ledger.client.query(
      `do $$ begin create role analyst login password 'secret'; exception when duplicate_object then end $$`,
    );
    await ledger.client.query('grant jobledger_reader to analyst');
    const url = new URL(ledger.environment.DATABASE_URL);
    [url.username, url.password] = ['analyst', 'secret'];
    const { exitCode, stderr } = await exportTo(join(folder, 'analyst'), ['--tables', 'jobs'], {
      DATABASE_URL: url.href,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('wrote ') });
  });
});

describe('an export after rows were removed from the tables', () => {
  it('keeps the months before the horizon, and removes files of other months without rows', async () => {
    const ofEast = (): string[] =>
      manifestOf(history)
        .files.filter(({ table, cluster }) => table === 'jobs' && cluster === 'east')
        .map(({ month, sha256 }) => `${month} ${sha256}`);
    const before = ofEast();
    expect(before).toEqual([expect.stringMatching(/^2026-10 /), expect.stringMatching(/^2026-11 /)]);
    await ledger.client.query(`update jobledger.retention set horizon = '2026-10-30T00:00:00Z'`);
    await ledger.client.query(`delete from jobledger.jobs where cluster = 'east'`);
    expect((await exportTo(history, ['--tables', 'jobs'])).exitCode).toBe(0);
    expect(ofEast()).toEqual([before[0]]);
    expect(filesIn(join(history, 'jobs', 'cluster=east'))).toEqual(['month=2026-10/part-0.parquet']);
  });
});

describe('an export of many rows', () => {
  const large = join(folder, 'large');
  /** The last rows have a megabyte each, the others a kilobyte. */
  const [number, wide] = [160_000, 60];
  const args = ['--tables', 'job_statuses', '--cluster', 'large'];
  /** A third of the text of the rows. */
  const heap = { NODE_OPTIONS: '--max-old-space-size=80' };

  beforeAll(async () => {
    await insertRow('clusters', { name: 'large' });
    const insert = `insert into jobledger.job_statuses
         (cluster, uid, namespace, name, kubectl_status, suspend, active, ready, terminating, succeeded, failed,
          conditions, resource_version, seen_at, event_id, deleted)
       select 'large', 'uid-' || n, 'default', 'job-' || n, 'Running', false, 1, 1, 0, 0, 0,
         jsonb_build_array(repeat(md5(n::text), $3)), n, '2026-03-01Z'::timestamptz + (n % 4) * interval '31 days',
         'event-' || n, false
       from generate_series($1::int, $2::int) n`;
    await ledger.client.query(insert, [1, number - wide, 30]);
    await ledger.client.query(insert, [number - wide + 1, number, 30_000]);
  }, 120_000);

  it('continues after it was killed, and keeps the files that it had written', async () => {
    const all = ['cli/jobledger.mjs', 'admin', 'export', '--format', 'parquet', '--out', large, ...args];
    const killed = spawn('node', all, {
      env: { ...process.env, ...ledger.environment, ...heap },
      stdio: 'ignore',
    });
    const written = await eventually('a month is written', 120, () => {
      const files = existsSync(join(large, 'manifest.json')) ? manifestOf(large).files : [];
      return Promise.resolve(files.length > 0 ? files : undefined);
    });
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const between = manifestOf(large);
    expect(between.unfinishedSince).not.toBeNull();
    expect(between.files.length).toBeLessThan(4);
    expect(filesIn(large).filter((path) => !path.startsWith('.unfinished/'))).toEqual(
      [...between.files.map(({ path }) => path), 'manifest.json'].toSorted(),
    );

    expect(await exportTo(large, args, heap)).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining(`and kept ${between.files.length} file`),
    });
    const after = manifestOf(large);
    expect(after.unfinishedSince).toBeNull();
    expect(after.files).toEqual(expect.arrayContaining(written));
    expect(existsSync(join(large, '.unfinished'))).toBe(false);
    expect(
      await duckdb.rows(
        `select count(*) as rows, count(distinct uid) as uids, count(distinct month) as months from 'large/job_statuses/**/*.parquet'`,
      ),
    ).toEqual([{ rows: String(number), uids: String(number), months: '4' }]);
  });
});
