import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import type { EncodedEvent } from '../../services/adapters/events/event-codec.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { eventually } from '../support/eventually.ts';
import { rebuildTables } from '../support/rebuild.ts';

// A promoted standby lacks the last transactions of its primary. Here an older copy replaces the database.

jest.setTimeout(240_000);

let ledger: ALedger;
let records: readonly EncodedEvent[];
let database: string;
let administrator: Client;

beforeAll(async () => {
  records = [...(await generateLedger({ events: 3000, days: 40, variants: 1 }))];
  ledger = await startLedger();
  const url = new URL(ledger.environment.DATABASE_URL);
  database = url.pathname.slice(1);
  url.pathname = '/postgres';
  administrator = new Client(url.href);
  await administrator.connect();
}, 120_000);
afterAll(async () => {
  await administrator?.query(`drop database if exists "${database}_lost"`);
  await administrator?.end();
  await ledger?.stop();
}, 60_000);

/** Ends all connections to the database, and runs the statement before a new one is open. */
function withoutConnections(statement: string): Promise<unknown> {
  return eventually(`no connection hinders "${statement}"`, 30, async () => {
    await administrator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      database,
    ]);
    await administrator.query(statement);
    return true;
  });
}

async function positionsSum(): Promise<number> {
  const url = new URL(ledger.environment.DATABASE_URL);
  const client = new Client(url.href);
  await client.connect();
  const { rows } = await client.query<{ sum: string | null }>(
    'select sum(next_offset) as sum from jobledger.positions',
  );
  await client.end();
  return Number(rows[0]?.sum ?? 0);
}

describe('after a failover of Postgres to a standby that lacks the last transactions,', () => {
  it('a running projector applies their records again, because it reads its positions from the tables', async () => {
    ledger.client.on('error', () => undefined);
    await ledger.start('projector');
    const pid = ledger.services.pid('projector');
    await ledger.append(records.slice(0, 1000));
    await ledger.applied(1000);
    await withoutConnections(`create database "${database}_standby" template "${database}"`);
    await ledger.append(records.slice(1000, 2500));
    await eventually('2500 records are applied', 60, async () =>
      (await positionsSum()) >= 2500 ? true : undefined,
    );
    await withoutConnections(
      `alter database "${database}" rename to "${database}_lost"; alter database "${database}_standby" rename to "${database}"`,
    );
    expect(await positionsSum()).toBe(1000);
    await ledger.append(records.slice(2500));
    await eventually('3000 records are applied', 60, async () =>
      (await positionsSum()) >= records.length ? true : undefined,
    );
    expect(ledger.services.pid('projector')).toBe(pid);
    const rebuilt = await rebuildTables(ledger.environment, '--check');
    expect(rebuilt.tables.filter(({ differences }) => differences > 0)).toEqual([]);
    expect(rebuilt).toMatchObject({ exitCode: 0, records: await positionsSum() });
  });
});
