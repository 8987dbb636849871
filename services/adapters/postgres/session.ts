import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { PostgresConfig } from '../config.ts';
import { clientConfig, whereOf, type Run } from './database.ts';
import { databaseErrorOf } from './failures.ts';

/**
 * One connection for long work: what it locks and its temporary tables last until it closes, at the latest. Statements
 * run in the order in which they are asked for.
 */
export interface Session {
  /** No statement is given up for taking long. */
  run: Run;
  /** Runs a `copy … from stdin`; resolves when all of the content is in its table. */
  copy(statement: string, content: Buffer): Promise<void>;
  close(): Promise<void>;
}

/** @throws InputError for an address that is none, UnavailableError. */
export async function openSession(config: PostgresConfig, name: string): Promise<Session> {
  const where = whereOf(config.DATABASE_URL);
  const client = new Client(clientConfig(config, name));
  // A connection that breaks between two statements says so by an event; the next statement fails all the same.
  client.on('error', () => undefined);
  const failing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (cause) {
      throw databaseErrorOf(cause, where);
    }
  };
  await failing(client.connect());
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(() => failing(work()));
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
