import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { InputError, messageOf } from '../../services/adapters/errors.ts';
import { withoutPassword } from './database-url.ts';

/** Postgres' own word for "I am starting, or stopping". */
const CANNOT_CONNECT_NOW = '57P03';
const WAIT_LIMIT_MS = 10_000;

/**
 * Makes sure that a given Postgres lets us in.
 * @throws InputError that says where and why not, without the password.
 */
export async function checkPostgres(databaseUrl: string): Promise<void> {
  const where = withoutPassword(databaseUrl);
  const deadline = Date.now() + WAIT_LIMIT_MS;
  for (;;) {
    const refusal = await refusalOf(databaseUrl);
    if (refusal === undefined) return;
    if (refusal.code !== CANNOT_CONNECT_NOW || Date.now() > deadline) {
      throw new InputError(`Postgres at ${where} refuses: ${messageOf(refusal)}; check DATABASE_URL`);
    }
    await delay(250);
  }
}

async function refusalOf(databaseUrl: string): Promise<(Error & { code?: string }) | undefined> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
