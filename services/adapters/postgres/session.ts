import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { PostgresConfig } from '../config.ts';
import { clientConfig, whereOf, type Run } from './database.ts';
import { errorMapper } from './failures.ts';

/**
 * One dedicated connection for long work. Its locks and temporary tables last at most until it closes. Statements run
 * in the order in which they are called.
 */
export interface Session {
  /** Runs a statement without a timeout. */
  run: Run;
  /** Runs a `copy … from stdin`; resolves when the whole content is in the table. */
  copy(statement: string, content: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws InputError for an invalid address, UnavailableError. */
export async function openSession(config: PostgresConfig, name: string): Promise<Session> {
  const client = new Client(clientConfig(config, name));
  // A connection that breaks between two statements emits an event; the next statement then fails.
  client.on('error', () => undefined);
  const mapErrors = errorMapper(whereOf(config.DATABASE_URL));
  await mapErrors(client.connect());
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(() => mapErrors(work()));
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    run: async (statement) => (await inTurn(() => client.query(statement))).rows,
    copy: (statement, content) =>
      inTurn(() => {
        const stream = client.query(copyFrom(statement));
        stream.end(content);
        return finished(stream);
      }),
    close: () => client.end(),
  };
}
