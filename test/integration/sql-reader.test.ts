import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { createLog } from '../../services/adapters/process/log.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import { hasReader } from '../../services/projector/reader.ts';
import {
  aProjector,
  emptied,
  MIGRATIONS,
  toRecords,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';

jest.setTimeout(120_000);

const FORBIDDEN = '42501';
const WRITES = ['delete from', 'truncate', 'insert into', 'drop table'];

let postgres: RealPostgres;
let database: Database;
let dashboard: Pool;

beforeAll(async () => {
  postgres = await startPostgres({ ownServers: true });
  database = postgres.database;
  await emptied(database);
  await aProjector(database).project(toRecords(aStory()));
  await run(`create role dashboard login password 'dashboard' in role jobledger_reader`);
  dashboard = new Pool({ connectionString: userAddress({ user: 'dashboard' }) });
});
afterAll(async () => {
  await dashboard.end();
  await postgres.close();
});

const run = <Row>(text: string): Promise<Row[]> => database.run<Row>({ text, values: [] });

/** Returns the address of the server for a user whose password is the user name. */
function userAddress({ user, name }: { user: string; name?: string }): string {
  const url = new URL(postgres.servers.addresses.databaseUrl ?? '');
  url.username = user;
  url.password = user;
  if (name !== undefined) url.pathname = `/${name}`;
  return url.href;
}

/** Returns the SQLSTATE of the refusal, or null when the statement succeeds. */
async function catchRefusal(text: string): Promise<unknown> {
  return dashboard.query(text).then(
    () => null,
    (error: unknown) => (error as { code: unknown }).code,
  );
}

/** Returns the names of tables with their partitions, and of views if requested. */
async function relations(kinds: 'rp' | 'rpv'): Promise<string[]> {
  const rows = await run<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'jobledger'::regnamespace and position(relkind in '${kinds}') > 0`,
  );
  return rows.map(({ name }) => name);
}

describe('the database role jobledger_reader', () => {
  it('cannot log in without another role', async () => {
    expect(await run(`select rolcanlogin from pg_roles where rolname = 'jobledger_reader'`)).toEqual([
      { rolcanlogin: false },
    ]);
  });

  it('can read every table, partition, view and function', async () => {
    const names = await relations('rpv');
    expect(names).toEqual(expect.arrayContaining(['jobs', 'events', 'events_2026_04', 'gaps']));
    for (const name of names)
      expect([name, await catchRefusal(`table jobledger.${name}`)]).toEqual([name, null]);
    const { rows } = await dashboard.query(`select name from jobledger.jobs_as_of('2026-04-01T00:00:00Z')`);
    expect(rows).toEqual([{ name: 'pi' }]);
  });

  it('can read tables that are created later, such as a month of events', async () => {
    await createEnsureMonths(database)([{ id: 'later', time: '2031-01-05T00:00:00Z' }]);
    await run('create table jobledger.later (id integer)');
    expect(await catchRefusal('table jobledger.events_2031_01')).toBeNull();
    expect(await catchRefusal('table jobledger.later')).toBeNull();
  });

  it('cannot write to a table or create one', async () => {
    for (const name of await relations('rp')) {
      for (const verb of WRITES) {
        const text = `${verb} jobledger.${name}${verb === 'insert into' ? ' default values' : ''}`;
        expect([text, await catchRefusal(text)]).toEqual([text, FORBIDDEN]);
      }
    }
    expect(await catchRefusal('create table jobledger.mine (id integer)')).toBe(FORBIDDEN);
    expect(await catchRefusal(`update jobledger.jobs set kubectl_status = 'Complete'`)).toBe(FORBIDDEN);
  });
});

describe('a database user who may not create roles', () => {
  it('can migrate without the role jobledger_reader, which may read after it was created and another migration ran', async () => {
    await run('drop schema jobledger cascade');
    await run('drop role jobledger_reader');
    await run(`create role plain login password 'plain' nocreaterole`);
    await run('create database plain owner plain');
    const address = userAddress({ user: 'plain', name: 'plain' });
    const plain = openDatabase({ DATABASE_URL: address }, createLog('test'));
    try {
      await migrate(plain, MIGRATIONS);
      expect(await hasReader(plain.run)).toBe(false);
      await run('create role jobledger_reader nologin');
      await migrate(plain, MIGRATIONS);
      const may = {
        text: `select has_table_privilege('jobledger_reader', 'jobledger.jobs', 'select') as may`,
        values: [],
      };
      expect(await plain.run(may)).toEqual([{ may: true }]);
    } finally {
      await plain.close();
    }
  });
});
