import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { PostgresConfig } from '../config.ts';
import { InputError } from '../errors.ts';
import { parseAddress, type PostgresAddress } from './address.ts';
import type { Run } from './database.ts';
import { errorMapper, isRefusedByPooler } from './failures.ts';
import { clientConfig, firstAvailable, requireWritable } from './servers.ts';

/**
 * One dedicated connection for long work. The locks and temporary tables of a session last at most until it closes.
 * Statements run in the order in which they are called.
 */
export interface Session {
  /** Runs a statement without a timeout. */
  run: Run;
  /** Runs a `copy … from stdin`; resolves when the whole content is in the table. */
  copy(statement: string, content: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects to `DATABASE_DIRECT_URL`, if it is set. @throws InputError for an invalid address and for the address of a
 * pooler; UnavailableError.
 */
export async function openSession(config: PostgresConfig, name: string): Promise<Session> {
  const address = parseAddress({
    ...config,
    DATABASE_URL: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
  });
  const mapErrors = errorMapper(address.where);
  const client = await firstAvailable(address, 0, (at) =>
    mapErrors(connectTo(address.servers[at] ?? '', address, name)),
  );
  let last: Promise<unknown> = Promise.resolve();
  const runInOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(() => mapErrors(work()));
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    run: async (statement) => (await runInOrder(() => client.query(statement))).rows,
    copy: (statement, content) =>
      runInOrder(() => {
        const stream = client.query(copyFrom(statement));
        stream.end(content);
        return finished(stream);
      }),
    close: () => client.end(),
  };
}

async function connectTo(
  server: string,
  { isWritable, where }: PostgresAddress,
  name: string,
): Promise<Client> {
  // A pooler refuses the option. Behind a pooler, a statement could run on another connection, without the session's
  // locks and temporary tables.
  const client = new Client({ ...clientConfig(server, name), options: '-c statement_timeout=0' });
  // A connection that breaks between two statements emits an event; the next statement then fails.
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (isWritable) await requireWritable(client);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    if (!isRefusedByPooler(error)) throw error;
    throw new InputError(
      `Postgres at ${where} is behind a pooler, where the locks and temporary tables of "${name}" would not last: set DATABASE_DIRECT_URL to the address of the server itself`,
    );
  }
}
