import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { InputError } from '../../services/adapters/errors.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { openSession } from '../../services/adapters/postgres/session.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { dropMonthsBefore } from '../../services/projector/months.ts';
import { migrate } from '../../services/projector/migrate.ts';
import {
  aProjector,
  MIGRATIONS,
  toRecords,
  rowsAfter,
  rowsIn,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';
import { startTransactionPooler, type TransactionPooler } from '../support/transaction-pooler.ts';

jest.setTimeout(120_000);

let postgres: RealPostgres;
let pooler: TransactionPooler;
let pooled: Database;

beforeAll(async () => {
  postgres = await startPostgres();
  pooler = await startTransactionPooler(postgres.servers.addresses.databaseUrl ?? '');
  pooled = openDatabase({ DATABASE_URL: pooler.databaseUrl }, silentLog(), { connections: 2 });
});
afterAll(async () => {
  await pooled?.close();
  await pooler?.close();
  await postgres?.close();
});

describe('through a pooler in transaction mode,', () => {
  it('statements run in different sessions with the time limit of Jobledger, and each transaction in one session', async () => {
    const seen = new Set<string>();
    for (let at = 0; at < 6; at += 1) {
      const [row] = await pooled.run<{ pid: string; timeout: string }>(
        sql`select pg_backend_pid()::text as pid, current_setting('statement_timeout') as timeout`,
      );
      expect(row?.timeout).toBe('31s');
      seen.add(row?.pid ?? '');
    }
    expect(seen.size).toBe(3);
    const pids = await pooled.transaction(async (run) => [
      await run(sql`select pg_backend_pid()::text`),
      await run(sql`select pg_backend_pid()::text`),
    ]);
    expect(pids[0]).toEqual(pids[1]);
  });

  it('the projector writes the same rows as without a pooler, and months can be dropped', async () => {
    const records = toRecords(aStory());
    const whole = await rowsAfter(postgres.database, records);
    await postgres.database.run(sql`drop schema jobledger cascade`);
    await migrate(postgres.database, MIGRATIONS);
    const projector = aProjector(pooled);
    for (let at = 0; at < records.length; at += 4) await projector.project(records.slice(at, at + 4));
    expect(await rowsIn(postgres.database)).toEqual(whole);
    expect(projector.fatal).toEqual([]);
    expect((await dropMonthsBefore(pooled, '9999-01-01')).length).toBeGreaterThan(0);
  });

  it('a migration fails and requests DATABASE_DIRECT_URL, and with this setting connects to the server itself', async () => {
    const config = { DATABASE_URL: pooler.databaseUrl };
    const refused = await openSession(config, 'jobledger admin migrate').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InputError);
    expect(String(refused)).toContain(
      'is behind a pooler, where the locks and temporary tables of "jobledger admin migrate" would not last: set DATABASE_DIRECT_URL to the address of the server itself',
    );
    const direct = { ...config, DATABASE_DIRECT_URL: postgres.servers.addresses.databaseUrl ?? '' };
    expect(await migrate({ config: direct }, MIGRATIONS)).toEqual([]);
  });
});
