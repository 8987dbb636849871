import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { requireSchema } from '../../services/read-model/state/schema.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import { eventually } from '../support/eventually.ts';
import { jobledger } from '../support/rebuild.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  MIGRATIONS,
  toRecords,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { dumpSchema, SCHEMA_FILE } from '../projector/schema-dump.ts';

jest.setTimeout(120_000);

let postgres: RealPostgres;
let database: Database;
let address: string;

beforeAll(async () => {
  postgres = await startPostgres({ database: 'empty' });
  database = postgres.database;
  address = database.config.DATABASE_URL;
});
afterAll(() => postgres.close());

/** Returns a folder with the migrations of this version, and one of the next version. */
function withMigration(text: string): string {
  const folder = mkdtempSync(join(postgres.stateDir, 'migrations-'));
  cpSync(MIGRATIONS, folder, { recursive: true });
  writeFileSync(join(folder, '9999-later.sql'), text);
  return folder;
}

async function connected<T>(name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: address, application_name: name });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

describe('the verb jobledger admin migrate', () => {
  it('creates the schema, and changes nothing when it is repeated', async () => {
    const made = await jobledger({ DATABASE_URL: address }, 'admin', 'migrate');
    expect(made).toMatchObject({ exitCode: 0, stdout: 'applied: 0001-schema.sql\n' });
    const again = await jobledger({ DATABASE_URL: address }, 'admin', 'migrate');
    expect(again).toEqual({ exitCode: 0, stdout: 'the schema is up to date\n', stderr: '' });
  });

  it('waits for another process that is migrating the database, and names it', async () => {
    await emptied(database);
    const lines: string[] = [];
    const migrating = await connected('another client', async (client) => {
      await client.query('select pg_advisory_lock(7213305881)');
      const waiting = migrate(database, withMigration('select 1;'), { report: (line) => lines.push(line) });
      await eventually('it says that it waits', 10, async () => (lines.length > 0 ? true : undefined));
      expect(await database.run(sql`select from jobledger.migrations where name = '9999-later.sql'`)).toEqual(
        [],
      );
      return { waiting };
    });
    expect(await migrating.waiting).toEqual(['9999-later.sql']);
    expect(lines).toEqual([
      expect.stringMatching(
        /^waiting for another process that is migrating this database: "another client" at 127\.0\.0\.1, process \d+ of Postgres, connected since \d{4}-/,
      ),
    ]);
  });

  it('waits for a long read of a table without delaying other readers, and then continues', async () => {
    await emptied(database);
    const lines: string[] = [];
    const waiting = await connected('reader', async (client) => {
      await client.query('begin');
      await client.query('select from jobledger.jobs');
      const folder = withMigration('alter table jobs add column later text;');
      const migrating = migrate(database, folder, { report: (line) => lines.push(line) });
      await eventually('it says that it waits', 10, async () => (lines.length > 0 ? true : undefined));
      expect(await database.run(sql`select count(*)::int as jobs from jobledger.jobs`)).toEqual([
        { jobs: 0 },
      ]);
      await client.query('commit');
      return { migrating };
    });
    expect(await waiting.migrating).toEqual(['9999-later.sql']);
    expect(lines).toEqual(['9999-later.sql waits: a long transaction holds a lock on its tables']);
  });

  it('builds a concurrent index again after an attempt that failed and left an invalid index', async () => {
    await emptied(database);
    await database.run(
      sql`insert into jobledger.event_ids select id::text, '2026-01-01T00:00:00Z' from generate_series(1, 2) id`,
    );
    const build = 'index concurrently if not exists ids_by_time on event_ids (time);';
    await expect(
      migrate(database, withMigration(`-- no transaction\ncreate unique ${build}\n`)),
    ).rejects.toThrow('SQLSTATE 23505');
    const indexes = sql`select indisvalid as valid from pg_index where indexrelid = 'jobledger.ids_by_time'::regclass`;
    expect(await database.run(indexes)).toEqual([{ valid: false }]);
    const folder = withMigration(`-- no transaction\ncreate ${build}\n`);
    expect(await migrate(database, folder)).toEqual(['9999-later.sql']);
    expect(await database.run(indexes)).toEqual([{ valid: true }]);
    expect(await migrate(database, folder)).toEqual([]);
  });

  it('has no time limit for its statements, although other statements have a limit of 30 s', async () => {
    await emptied(database);
    const folder = withMigration('select pg_sleep(2);');
    await withShortDelays({ from: 30_000, to: 500 }, async () => {
      await expect(database.run(sql`select pg_sleep(2)`)).rejects.toThrow('does not answer');
      expect(await migrate(database, folder)).toEqual(['9999-later.sql']);
    });
  });
});

/** Shortens timers of `from` milliseconds and more to `to`, so that their limits are reached soon. */
async function withShortDelays(
  { from, to }: { from: number; to: number },
  work: () => Promise<void>,
): Promise<void> {
  const { setTimeout: start } = globalThis;
  const short = (callback: () => void, delay = 0): NodeJS.Timeout =>
    start(callback, delay >= from ? to : delay);
  const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation(short);
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
}

describe('the schema that all migrations together create', () => {
  it('equals services/projector/schema.sql, which "npm run dump-schema" writes', async () => {
    await emptied(database);
    expect(await dumpSchema(database.run)).toBe(readFileSync(SCHEMA_FILE, 'utf8'));
  });

  it('is dumped in the same way when the table of events has partitions for months', async () => {
    await createEnsureMonths(database)([{ id: '1', time: '2026-11-22T00:00:00Z' }]);
    expect(await dumpSchema(database.run)).toBe(readFileSync(SCHEMA_FILE, 'utf8'));
  });
});

describe('a schema in Postgres', () => {
  it('is accepted and written to after a later version has migrated it', async () => {
    await emptied(database);
    await migrate(database, withMigration("alter table jobs add column later text not null default 'none';"));
    expect(await migrate(database, MIGRATIONS)).toEqual([]);
    await requireSchema(database.run);
    const { project, deadLetters } = aProjector(database);
    await project(toRecords([jobObserved(1, aJob({ version: 5 }))]));
    expect(deadLetters).toEqual([]);
    expect(await database.run(sql`select name, later from jobledger.jobs`)).toEqual([
      { name: 'pi', later: 'none' },
    ]);
  });

  it('is refused when migrations with other contents created it', async () => {
    await emptied(database);
    await database.run(sql`update jobledger.migrations set digest = 'other' where name = '0001-schema.sql'`);
    await expect(migrate(database, MIGRATIONS)).rejects.toThrow(
      'the schema jobledger was created with other versions of 0001-schema.sql than this version of Jobledger has',
    );
  });

  it('is refused with a remedy when it is too old, by readers and by a projector that may not migrate', async () => {
    await emptied(database);
    await database.run(sql`delete from jobledger.migrations where name = '0001-schema.sql'`);
    const message =
      'the schema jobledger of this database is too old for this version of Jobledger: it lacks 0001-schema.sql; run "jobledger admin migrate", or start a projector of this version';
    const get = await jobledger({ DATABASE_URL: address }, 'get');
    expect(get).toEqual({ exitCode: 2, stdout: '', stderr: `jobledger: ${message}\n` });
    const environment = { DATABASE_URL: address, KAFKA_BROKERS: '127.0.0.1:1', JOBLEDGER_MIGRATE: 'false' };
    const projector = await jobledger(environment, 'run', 'projector');
    expect(projector).toMatchObject({ exitCode: 78, stderr: expect.stringContaining(message) });
  });
});
