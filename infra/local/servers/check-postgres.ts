import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import { parseUncheckedAddress } from '../../../services/adapters/postgres/address.ts';
import { withoutPassword } from '../state/addresses.ts';

/** The SQLSTATE of a Postgres that is starting or stopping. */
const CANNOT_CONNECT_NOW = '57P03';
const RETRY_FOR_MS = 10_000;

/**
 * Checks that a host of `databaseUrl`, a Postgres that Jobledger does not run, accepts connections and answers a query.
 * Tries again while a host starts or stops, but begins no attempt after 10 s. @throws InputError with the address,
 * without the password, and the reason of the first host.
 */
export async function checkPostgres(databaseUrl: string): Promise<void> {
  const where = withoutPassword(databaseUrl);
  const deadline = Date.now() + RETRY_FOR_MS;
  for (;;) {
    const refusals = await Promise.all(parseUncheckedAddress(databaseUrl).servers.map(tryConnect));
    const [refusal] = refusals;
    if (refusal === undefined || refusals.includes(undefined)) return;
    const isChanging = refusals.some((each) => each?.code === CANNOT_CONNECT_NOW);
    if (!isChanging || Date.now() > deadline) {
      throw new InputError(
        `cannot connect to Postgres at ${where}: ${errorMessage(refusal)}; check DATABASE_URL`,
      );
    }
    await delay(250);
  }
}

async function tryConnect(databaseUrl: string): Promise<(Error & { code?: string }) | undefined> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5000 });
  // Without a listener, the error of a lost connection would end the process.
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
