import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { openSession } from '../../services/adapters/postgres/session.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { aProjector, MIGRATIONS, recordsOf, rowsIn } from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';
import { startPostgresPair, type PostgresPair } from '../support/postgres-pair.ts';

jest.setTimeout(180_000);

let pair: PostgresPair;
let database: Database;

beforeAll(async () => {
  pair = await startPostgresPair();
  database = openDatabase({ DATABASE_URL: pair.databaseUrl }, silentLog());
}, 120_000);
afterAll(async () => {
  await database?.close();
  await pair?.stop();
}, 60_000);

describe('an address that names a standby and its primary', () => {
  it('leads to the primary, for statements and for sessions', async () => {
    await migrate(database, MIGRATIONS);
    const [port] = await database.run(sql`select inet_server_port()::text as port`);
    expect(port).toEqual({ port: new URL(pair.primaryUrl).port });
    const session = await openSession({ DATABASE_URL: pair.databaseUrl }, 'test');
    expect(await session.run(sql`select pg_is_in_recovery() as standby`)).toEqual([{ standby: false }]);
    await session.close();
  });

  it('is not usable while there is only a standby', async () => {
    const alone = openDatabase(
      { DATABASE_URL: `${pair.standbyUrl}?target_session_attrs=read-write` },
      silentLog(),
    );
    const answer = await alone.run(sql`select 1`).catch((error: unknown) => error);
    expect(answer).toBeInstanceOf(UnavailableError);
    expect(String(answer)).toContain('the server is a standby');
    await alone.close();
  });
});

describe('a failover to a standby that lacks the last transactions', () => {
  it('leaves the same tables: the projector continues there, from the position that it has', async () => {
    const records = recordsOf(aStory());
    const projector = aProjector(database);
    await projector.project(records);
    const whole = await rowsIn(database);
    await database.run(sql`drop schema jobledger cascade`);
    await migrate(database, MIGRATIONS);

    const another = aProjector(database);
    await another.project(records.slice(0, 5));
    await pair.caughtUp();
    await pair.disconnect();
    await another.project(records.slice(5, 9));
    await pair.stopPrimary();
    const waiting = another.project(records.slice(9));
    await pair.promoteStandby();
    await waiting;
    expect(another.continuesAt).toEqual([5n]);
    await another.project(records.slice(5));
    expect(await rowsIn(database)).toEqual(whole);
    expect(another.fatal).toEqual([]);
    const [port] = await database.run(sql`select inet_server_port()::text as port`);
    expect(port).toEqual({ port: new URL(pair.standbyUrl).port });
  });
});
