import { Pool, types, type ClientConfig, type PoolClient } from 'pg';
import { isLoopback } from '../network/address.ts';
import type { PostgresConfig } from '../config.ts';
import { InputError, messageOf, UnavailableError } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { logFailures, retry } from '../waiting/retry.ts';
import { errorMapper } from './failures.ts';
import type { Statement } from './statement.ts';

/** Runs one statement and returns its rows: timestamps as RFC 3339 with milliseconds, bigint and numeric as text. */
export type Run = <Row>(statement: Statement) => Promise<Row[]>;

export interface Database {
  /** The connection settings, for a dedicated connection (`openSession`). */
  config: PostgresConfig;
  run: Run;
  /**
   * Runs `work` in one transaction. `work` must run statements only through its argument. When `signal` is aborted, the
   * connection is closed; the server ends a running statement then if `client_connection_check_interval` is set.
   * @throws any error of `work`, and the reason of an aborted signal.
   */
  transaction<T>(work: (run: Run) => Promise<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

type TypeId = (typeof types.builtins)[keyof typeof types.builtins];

interface DatabaseOptions {
  /** Size of the connection pool. */
  connections?: number;
  /** Shown in pg_stat_activity. */
  name?: string;
  /** Statement timeout on the server, in milliseconds. Default: one second longer than the client waits. */
  statementTimeoutMs?: number;
}

const CONNECT_MS = 3000;
const ANSWER_MS = 30_000;

/** Does not connect yet. @throws InputError for an invalid address. */
export function openDatabase(config: PostgresConfig, log: Log, options: DatabaseOptions = {}): Database {
  const pool = new Pool({
    ...clientConfig(config, options.name ?? 'jobledger'),
    max: options.connections ?? 4,
    query_timeout: ANSWER_MS,
    // Otherwise the server would continue an abandoned statement beside the one that repeats it.
    statement_timeout: options.statementTimeoutMs ?? ANSWER_MS + 1000,
  });
  // The pool replaces an idle connection that breaks; without a listener the error would end the process.
  pool.on('error', (error) => log.debug({ error: messageOf(error) }, 'an idle Postgres connection broke'));

  const mapErrors = errorMapper(whereOf(config.DATABASE_URL));
  return {
    config,
    run: async (statement) => (await mapErrors(pool.query(statement))).rows,
    transaction: async (work, signal) => {
      const client = await mapErrors(pool.connect());
      return transactionOn(client, { mapErrors, work, signal });
    },
    close: () => pool.end(),
  };
}

/**
 * Settings of all our connections. `name` is shown in pg_stat_activity.
 * @throws InputError when others could read the password and the rows on the way.
 */
export function clientConfig(config: PostgresConfig, name: string): ClientConfig {
  const { DATABASE_URL: address } = config;
  if (config.DATABASE_WITHOUT_TLS !== 'true') requireTls(address);
  return {
    connectionString: address,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: { getTypeParser: ((oid: TypeId) => parserOf(oid)) as typeof types.getTypeParser },
  };
}

/** Resolves once Postgres responds, and logs while it waits. @throws InputError if Postgres refuses us. */
export async function waitForPostgres(database: Database, log: Log, signal: AbortSignal): Promise<void> {
  await retry(() => database.run({ text: 'select 1', values: [] }), {
    signal,
    shouldRetry: (error) => error instanceof UnavailableError,
    onFailedAttempt: logFailures(log, 'Postgres does not answer; waiting for it'),
  });
}

interface Transaction<T> {
  mapErrors: <R>(work: Promise<R>) => Promise<R>;
  work: (run: Run) => Promise<T>;
  signal: AbortSignal | undefined;
}

async function transactionOn<T>(client: PoolClient, { mapErrors, work, signal }: Transaction<T>): Promise<T> {
  let broken = false;
  // With a running statement this closes the connection at once instead of waiting for the statement.
  const close = (): void => void client.end().catch(ignoreBreak);
  client.on('error', ignoreBreak);
  signal?.addEventListener('abort', close);
  try {
    signal?.throwIfAborted();
    await mapErrors(client.query('begin'));
    const result = await work(async (statement) => {
      signal?.throwIfAborted();
      return (await mapErrors(client.query(statement))).rows;
    });
    await mapErrors(client.query('commit'));
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    broken = error instanceof UnavailableError || !(await rolledBack(client));
    throw error;
  } finally {
    signal?.removeEventListener('abort', close);
    client.off('error', ignoreBreak);
    client.release(broken || signal?.aborted === true);
  }
}

/** A connection that breaks between two statements emits an event; the next statement then fails. */
function ignoreBreak(): void {
  // Nothing to do.
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

/** Values of `sslmode` with which a connection to Postgres is always encrypted. */
const ENCRYPTED = new Set(['require', 'verify-ca', 'verify-full', 'no-verify']);

/** @throws InputError when an address names another machine and does not ask for TLS. */
function requireTls(address: string): void {
  const url = new URL(address);
  const host = hostOf(url);
  const isEncrypted =
    ENCRYPTED.has(url.searchParams.get('sslmode') ?? '') || url.searchParams.get('ssl') === 'true';
  if (isEncrypted || host.startsWith('/') || isLoopback(host)) return;
  throw new InputError(
    `DATABASE_URL without TLS would send the password and all rows to ${host} in plain text: add ?sslmode=verify-full&sslrootcert=FILE to it, or set DATABASE_WITHOUT_TLS=true if you trust the network`,
  );
}

/** The host of an address; a folder when it names a Unix socket. */
function hostOf(url: URL): string {
  const host = url.hostname === '' ? (url.searchParams.get('host') ?? 'localhost') : url.hostname;
  return decodeURIComponent(host);
}

/**
 * Server, database and user of an address, for messages; never the password. @throws InputError for an invalid address.
 */
export function whereOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    // The text may contain a password, so it is not shown.
    throw new InputError('DATABASE_URL is not an address of the form postgres://user@host:port/database');
  }
  return `${hostOf(url)}:${url.port || '5432'}${url.pathname} as "${url.username}"`;
}

function parserOf(oid: TypeId): (text: string) => unknown {
  if (oid === types.builtins.TIMESTAMPTZ) return (text) => new Date(text).toISOString();
  return types.getTypeParser(oid, 'text') as (text: string) => unknown;
}
