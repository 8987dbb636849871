import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { PostgresConfig } from '../config.ts';
import { clientConfig, whereOf, type Run } from './database.ts';
import { failureOf } from './failures.ts';

/** One connection for long work: what it locks and its temporary tables last until it closes, at the latest. */
export interface Session {
  /** No statement is given up for taking long. */
  run: Run;
  /** Begins a `copy … from stdin` in text format; no statement may run until it has ended. */
  copyIn(statement: string): CopyIn;
  close(): Promise<void>;
}

export interface CopyIn {
  /** Whole lines. Resolves when Postgres can take more. */
  write(lines: string): Promise<void>;
  /** Resolves when every row is in its table. */
  end(): Promise<void>;
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
      throw failureOf(cause, where);
    }
  };
  await failing(client.connect());
  return {
    run: async (statement) => (await failing(client.query(statement))).rows,
    copyIn(statement) {
      const stream = client.query(copyFrom(statement));
      const done = finished(stream);
      done.catch(() => undefined);
      return {
        write: async (lines) => {
          if (!stream.write(lines)) await failing(Promise.race([once(stream, 'drain'), done]));
        },
        end: () => {
          stream.end();
          return failing(done);
        },
      };
    },
    close: () => client.end(),
  };
}
