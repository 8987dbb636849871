import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../adapters/errors.ts';
import type { Database, Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { grantReader } from './reader.ts';
import { digestOf } from '../../workflows/job/digest.ts';

interface Migration {
  name: string;
  text: string;
  digest: string;
}

/** Any number that no other program uses: the lock that lets one process migrate at a time. */
const LOCK = 7_213_305_881;

const SCHEMA = `
create schema jobledger;
comment on schema jobledger is 'What happened to the Jobs of all clusters, and what was decided about them.';
create table jobledger.migrations (
  name text primary key,
  digest text not null,
  applied_at timestamptz not null default now()
);
comment on table jobledger.migrations is 'Which migrations made this schema.';
comment on column jobledger.migrations.name is 'File name of the migration.';
comment on column jobledger.migrations.digest is 'Digest of its text.';
comment on column jobledger.migrations.applied_at is 'When it was applied.';
`;

/**
 * Brings the schema `jobledger` to what this program needs, once however many processes begin at a time.
 * @throws InputError when the database was migrated by another version that this one does not know.
 */
export async function migrate(database: Database, folder: string): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return database.transaction(async (run) => {
    await run(sql`select pg_advisory_xact_lock(${LOCK})`);
    if (!(await hasSchema(run))) await run({ text: SCHEMA, values: [] });
    const missing = missingOf(migrations, await appliedIn(run));
    await run(sql`set local search_path = jobledger`);
    for (const migration of missing) await applyOne(run, migration);
    await grantReader(run);
    return missing.map(({ name }) => name);
  });
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, digest: digestOf(text) };
    }),
  );
}

/** Asked of the catalogue itself: `if not exists` may answer from before the lock was granted. */
async function hasSchema(run: Run): Promise<boolean> {
  const rows = await run(sql`select from pg_namespace where nspname = 'jobledger'`);
  return rows.length > 0;
}

async function appliedIn(run: Run): Promise<Map<string, string>> {
  const rows = await run<{ name: string; digest: string }>(
    sql`select name, digest from jobledger.migrations order by name`,
  );
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

function missingOf(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  const known = new Map(migrations.map(({ name, digest }) => [name, digest]));
  const foreign = [...applied].filter(([name, digest]) => known.get(name) !== digest).map(([name]) => name);
  if (foreign.length > 0) {
    throw new InputError(
      `the schema jobledger was migrated by another version of Jobledger (${foreign.join(', ')}); start that version, or use an empty database`,
    );
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

async function applyOne(run: Run, { name, text, digest }: Migration): Promise<void> {
  await run({ text, values: [] });
  await run(sql`insert into jobledger.migrations (name, digest) values (${name}, ${digest})`);
}
