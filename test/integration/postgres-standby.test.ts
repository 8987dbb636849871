import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { placePostgres } from '../../infra/local/servers/postgres-place.ts';
import { createSupervisor } from '../../infra/local/processes/supervisor.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { openSession } from '../../services/adapters/postgres/session.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { aProjector, MIGRATIONS, toRecords, rowsIn } from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';
import { startPostgresPair, type PostgresPair } from '../support/postgres-pair.ts';

jest.setTimeout(180_000);

let pair: PostgresPair;
let database: Database;

const NAMES = ['first', 'second'] as const;
const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-pair-'));
const supervisor = createSupervisor({
  runDir: join(stateDir, 'run'),
  logsDir: stateDir,
  report: () => undefined,
});

beforeAll(async () => {
  pair = await startPostgresPair(stateDir, NAMES, supervisor);
  database = openDatabase({ DATABASE_URL: pairUrl('second', 'first') }, silentLog());
}, 120_000);
afterAll(async () => {
  await database?.close();
  await pair?.stop();
  await supervisor.stop();
  for (const name of NAMES)
    rmSync(placePostgres(join(stateDir, name)).home, { recursive: true, force: true });
  rmSync(stateDir, { recursive: true, force: true });
}, 60_000);

/** Returns an address of these servers that requests a server for writes. */
function pairUrl(...names: string[]): string {
  const addresses = names.map((name) => pair.getAddress(name));
  const [{ user, password } = pair.address] = addresses;
  const hosts = addresses.map(({ host, port }) => `${host}:${port}`).join();
  return `postgres://${user}:${password}@${hosts}/postgres?target_session_attrs=read-write`;
}

function serverPort(name: string): string {
  return String(pair.getAddress(name).port);
}

describe('an address of Postgres that names more than one server', () => {
  it('leads to the primary although it names a standby first', async () => {
    await migrate(database, MIGRATIONS);
    const [port] = await database.run(sql`select inet_server_port()::text as port`);
    expect(port).toEqual({ port: serverPort('first') });
    const session = await openSession({ DATABASE_URL: pairUrl('second', 'first') }, 'test');
    expect(await session.run(sql`select pg_is_in_recovery() as standby`)).toEqual([{ standby: false }]);
    await session.close();
  });

  it('is unusable while only standbys answer', async () => {
    const alone = openDatabase({ DATABASE_URL: pairUrl('second') }, silentLog());
    const answer = await alone.run(sql`select 1`).catch((error: unknown) => error);
    expect(answer).toBeInstanceOf(UnavailableError);
    expect(String(answer)).toContain('the server is a standby');
    await alone.close();
  });
});

describe('a failover of Postgres to a standby that lacks the last transactions', () => {
  it('leads to the same tables as no failover, because the projector continues from the position in the standby', async () => {
    const records = toRecords(aStory());
    const projector = aProjector(database);
    await projector.project(records);
    const whole = await rowsIn(database);
    await database.run(sql`drop schema jobledger cascade`);
    await migrate(database, MIGRATIONS);

    const another = aProjector(database);
    await another.project(records.slice(0, 5));
    await pair.lag();
    await another.project(records.slice(5, 9));
    await pair.killPrimary();
    const waiting = another.project(records.slice(9));
    await pair.promote();
    await waiting;
    expect(another.continuesAt).toEqual([5n]);
    await another.project(records.slice(5));
    expect(await rowsIn(database)).toEqual(whole);
    expect(another.fatal).toEqual([]);
    const [port] = await database.run(sql`select inet_server_port()::text as port`);
    expect(port).toEqual({ port: serverPort('second') });
  });
});
