import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import { parseUncheckedAddress } from '../../../services/adapters/postgres/address.ts';
import { withoutPassword } from '../state/addresses.ts';

/** The SQLSTATE of a Postgres that is starting or stopping. */
const CANNOT_CONNECT_NOW = '57P03';
const RETRY_FOR_MS = 10_000;

/**
 * Checks that the given Postgres accepts connections; retries for 10 s while it starts or stops.
 * @throws InputError with the address, without the password, and the reason.
 */
export async function checkPostgres(databaseUrl: string): Promise<void> {
  const where = withoutPassword(databaseUrl);
  const deadline = Date.now() + RETRY_FOR_MS;
  for (;;) {
    const refusals = await Promise.all(parseUncheckedAddress(databaseUrl).servers.map(tryConnect));
    const [refusal] = refusals;
    if (refusal === undefined || refusals.includes(undefined)) return;
    if (refusal.code !== CANNOT_CONNECT_NOW || Date.now() > deadline) {
      throw new InputError(
        `cannot connect to Postgres at ${where}: ${errorMessage(refusal)}; check DATABASE_URL`,
      );
    }
    await delay(250);
  }
}

async function tryConnect(databaseUrl: string): Promise<(Error & { code?: string }) | undefined> {
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
