import { Pool, types, type ClientConfig, type PoolClient } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresConfig } from '../config.ts';
import { InputError, messageOf, UnavailableError } from '../errors.ts';
import type { Log } from '../log.ts';
import { databaseErrorOf } from './failures.ts';
import type { Statement } from './statement.ts';

/** Runs one statement and gives its rows: instants as RFC 3339 with milliseconds, bigint and numeric as text. */
export type Run = <Row>(statement: Statement) => Promise<Row[]>;

export interface Database {
  /** How to reach it: for a connection of one's own (`openSession`). */
  config: PostgresConfig;
  run: Run;
  /** All or nothing; the work may run statements only by what it is given. @throws what the work throws. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

type TypeId = (typeof types.builtins)[keyof typeof types.builtins];

interface DatabaseOptions {
  /** Connections at most. */
  connections?: number;
  /** Shown in pg_stat_activity. */
  name?: string;
  /** Milliseconds after which the server gives up a statement. Default: never; the client waits 30 s. */
  statementTimeoutMs?: number;
}

const CONNECT_MS = 3000;
const ANSWER_MS = 30_000;
const RETRY_MS = 500;

/** @throws InputError for an address that is none. Does not connect yet. */
export function openDatabase(config: PostgresConfig, log: Log, options: DatabaseOptions = {}): Database {
  const where = whereOf(config.DATABASE_URL);
  const pool = new Pool({
    ...clientConfig(config, options.name ?? 'jobledger'),
    max: options.connections ?? 4,
    query_timeout: ANSWER_MS,
    ...(options.statementTimeoutMs !== undefined && { statement_timeout: options.statementTimeoutMs }),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.debug({ error: messageOf(error) }, 'an idle Postgres connection broke'));

  const failing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (cause) {
      throw databaseErrorOf(cause, where);
    }
  };
  return {
    config,
    run: async (statement) => (await failing(pool.query(statement))).rows,
    transaction: async (work) => {
      const client = await failing(pool.connect());
      return transactionOn(client, failing, work);
    },
    close: () => pool.end(),
  };
}

/** How each of our connections is made. `name` is shown in pg_stat_activity. */
export function clientConfig({ DATABASE_URL: address }: PostgresConfig, name: string): ClientConfig {
  return {
    connectionString: address,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: { getTypeParser: ((oid: TypeId) => parserOf(oid)) as typeof types.getTypeParser },
  };
}

/** Resolves once Postgres answers; says so in the log while it does not. @throws InputError when it refuses us. */
export async function waitForPostgres(database: Database, log: Log, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      await database.run({ text: 'select 1', values: [] });
      return;
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      log[attempt % 10 === 0 ? 'warn' : 'debug'](
        { error: messageOf(error) },
        'Postgres does not answer; waiting for it',
      );
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function transactionOn<T>(
  client: PoolClient,
  failing: <R>(work: Promise<R>) => Promise<R>,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  let broken = false;
  client.on('error', ignoreBreak);
  try {
    await failing(client.query('begin'));
    const result = await work(async (statement) => (await failing(client.query(statement))).rows);
    await failing(client.query('commit'));
    return result;
  } catch (error) {
    broken = error instanceof UnavailableError || !(await rolledBack(client));
    throw error;
  } finally {
    client.off('error', ignoreBreak);
    client.release(broken);
  }
}

/** A connection that breaks between two statements says so by an event; the next statement fails all the same. */
function ignoreBreak(): void {
  // Nothing to do: see above.
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

/** Server, database and user of an address, for messages: never the password. @throws InputError when it is none. */
export function whereOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    // The text itself is not shown: a password may stand in it.
    throw new InputError('DATABASE_URL is not an address of the form postgres://user@host:port/database');
  }
  const host = url.hostname === '' ? (url.searchParams.get('host') ?? 'localhost') : url.hostname;
  return `${host}:${url.port || '5432'}${url.pathname} as "${url.username}"`;
}

function parserOf(oid: TypeId): (text: string) => unknown {
  if (oid === types.builtins.TIMESTAMPTZ) return (text) => new Date(text).toISOString();
  return types.getTypeParser(oid, 'text') as (text: string) => unknown;
}
