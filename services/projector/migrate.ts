import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '../adapters/errors.ts';
import type { Database, Run } from '../adapters/postgres/database.ts';
import { RefusedStatementError } from '../adapters/postgres/failures.ts';
import { openSession } from '../adapters/postgres/session.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { retry, type Backoff } from '../adapters/waiting/retry.ts';
import { ownStamp } from '../installation/stamp.ts';
import { appliedMigrations, requireOwnSchema, type AppliedMigration } from '../read-model/state/schema.ts';
import {
  indexBuiltBy,
  isInOneTransaction,
  readMigrations,
  splitStatements,
  type Migration,
} from './migrations.ts';
import { grantReader } from './reader.ts';

export interface MigrateOptions {
  /** Receives progress messages. */
  report?: (line: string) => void;
  signal?: AbortSignal;
}

/** The number of the advisory lock of migrations. The number is arbitrary; no other program uses it. */
const LOCK = 7_213_305_881;
const LOCK_RETRY_MS = 200;

/**
 * The time for which a migration waits for a table lock. Other statements queue behind the migration, so the migration
 * then stops its wait and tries again later.
 */
const TABLE_LOCK_TIMEOUT = '3s';
const TABLE_BACKOFF: Backoff = { firstMs: 2000, longestMs: 2000 };

/** The SQLSTATE of a lock timeout. */
const LOCKED = '55P03';

const SCHEMA = `
create schema jobledger;
comment on schema jobledger is 'What happened to the Jobs of all clusters, and what was decided about them.';
create table jobledger.migrations (
  name text primary key,
  digest text not null,
  stamp text not null,
  applied_at timestamptz not null default now()
);
comment on table jobledger.migrations is 'The migrations that made this schema, one row for each.';
comment on column jobledger.migrations.name is 'File name of the migration.';
comment on column jobledger.migrations.digest is 'Digest of the text of the migration.';
comment on column jobledger.migrations.stamp is 'Digest of the formats of the first release; before that release, of the version that applied the migration.';
comment on column jobledger.migrations.applied_at is 'Time at which the migration was applied.';
`;

/**
 * Applies the missing migrations to the schema `jobledger`. Only one process migrates at a time; other processes wait.
 * Additions of later versions are kept. Returns the names of the applied migrations. @throws InputError when the text
 * of an applied migration differs from the text in this version, or when another unreleased version has applied a
 * migration.
 */
export async function migrate(
  { config }: Pick<Database, 'config'>,
  folder: string,
  { report = () => undefined, signal = new AbortController().signal }: MigrateOptions = {},
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const { run, close } = await openSession(config, 'jobledger admin migrate');
  try {
    await acquireMigrationLock(run, report, signal);
    await run(sql`set search_path = jobledger`);
    if (!(await hasSchema(run))) await inTransaction(run, () => run({ text: SCHEMA, values: [] }));
    const missing = missingMigrations(migrations, await appliedMigrations(run));
    for (const migration of missing) await applyMigration(run, migration, { report, signal });
    await grantReader(run);
    return missing.map(({ name }) => name);
  } finally {
    await close();
  }
}

/**
 * Takes the lock of migrations by polling, because a session that waits in `pg_advisory_lock` would block `create index
 * concurrently`.
 */
async function acquireMigrationLock(
  run: Run,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const [found] = await run<{ locked: boolean }>(sql`select pg_try_advisory_lock(${LOCK}) as locked`);
    if (found?.locked === true) return;
    if (attempt === 0)
      report(`waiting for another process that is migrating this database: ${await describeLockHolder(run)}`);
    await sleep(LOCK_RETRY_MS, undefined, { signal });
  }
}

/**
 * A text that names the session with the lock of migrations. The two halves of the lock's number are in two columns.
 */
async function describeLockHolder(run: Run): Promise<string> {
  const [found] = await run<{ name: string; pid: number; since: string; address: string | null }>(
    sql`select a.application_name as name, a.pid, host(a.client_addr) as address, to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
      from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and a.datname = current_database() and (l.classid::bigint << 32 | l.objid::bigint) = ${LOCK}`,
  );
  if (found === undefined) return 'the process has just finished';
  const { name, pid, since, address } = found;
  return `"${name}"${address === null ? '' : ` at ${address}`}, process ${pid} of Postgres, connected since ${since}`;
}

/**
 * True when the schema exists. The catalogue is read directly, because `if not exists` may use a snapshot from before
 * the lock was granted.
 */
async function hasSchema(run: Run): Promise<boolean> {
  const rows = await run(sql`select from pg_namespace where nspname = 'jobledger'`);
  return rows.length > 0;
}

/**
 * Returns the migrations that were not applied. Applied migrations of a later version are ignored, because they only
 * add columns and tables.
 */
function missingMigrations(migrations: readonly Migration[], rows: readonly AppliedMigration[]): Migration[] {
  requireOwnSchema(rows);
  const applied = new Map(rows.map(({ name, digest }) => [name, digest]));
  const changed = migrations.filter(({ name, digest }) => (applied.get(name) ?? digest) !== digest);
  if (changed.length > 0) {
    const names = changed.map(({ name }) => name).join(', ');
    throw new InputError(
      `the schema jobledger was created with other versions of ${names} than this version of Jobledger has; start a released version, or use an empty database`,
    );
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

async function applyMigration(
  run: Run,
  migration: Migration,
  { report, signal }: Required<MigrateOptions>,
): Promise<void> {
  const { name, text, digest } = migration;
  const recordMigration = (): Promise<unknown> =>
    run(
      sql`insert into jobledger.migrations (name, digest, stamp) values (${name}, ${digest}, ${ownStamp()})`,
    );
  if (!isInOneTransaction(migration)) {
    for (const statement of splitStatements(text)) await runWithoutTransaction(run, statement);
    await recordMigration();
    return;
  }
  const applyInTransaction = (): Promise<void> =>
    inTransaction(run, async () => {
      await run({ text: `set local lock_timeout = '${TABLE_LOCK_TIMEOUT}'`, values: [] });
      await run({ text, values: [] });
      await recordMigration();
    });
  await retry(applyInTransaction, {
    signal,
    backoff: TABLE_BACKOFF,
    shouldRetry: (error) => error instanceof RefusedStatementError && error.code === LOCKED,
    onFailedAttempt: (_, failures) => {
      if (failures % 10 === 1) report(`${name} waits: a long transaction holds a lock on its tables`);
    },
  });
}

/**
 * Runs a statement without a transaction. An interrupted attempt leaves an invalid index with the same name, which is
 * dropped first.
 */
async function runWithoutTransaction(run: Run, text: string): Promise<void> {
  const index = indexBuiltBy(text);
  if (index !== null) {
    const invalid = await run(
      sql`select from pg_index where indexrelid = to_regclass(${`jobledger.${index}`}) and not indisvalid`,
    );
    if (invalid.length > 0) await run({ text: `drop index concurrently jobledger.${index}`, values: [] });
  }
  await run({ text, values: [] });
}

async function inTransaction(run: Run, work: () => Promise<unknown>): Promise<void> {
  await run(sql`begin`);
  try {
    await work();
    await run(sql`commit`);
  } catch (error) {
    await run(sql`rollback`).catch(() => undefined);
    throw error;
  }
}
