import type { PoolClient } from 'pg';
import type { PostgresConfig } from '../config.ts';
import { UnavailableError } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { logFailures, retry } from '../waiting/retry.ts';
import { parseAddress } from './address.ts';
import { errorMapper } from './failures.ts';
import { openConnections } from './servers.ts';
import type { Statement } from './statement.ts';

/** Runs one statement and returns its rows: timestamps as RFC 3339 with milliseconds, bigint and numeric as text. */
export type Run = <Row>(statement: Statement) => Promise<Row[]>;

export interface Database {
  /** The connection settings, for a dedicated connection (`openSession`). */
  config: PostgresConfig;
  run: Run;
  /**
   * Runs `work` in one transaction. `work` must run statements only through its argument. When `signal` is aborted, the
   * connection is closed; the server then ends a running statement if `client_connection_check_interval` is set.
   * @throws any error of `work`, and the reason of an aborted signal.
   */
  transaction<T>(work: (run: Run) => Promise<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** The size of the connection pool. */
  connections?: number;
  /** The application name, which pg_stat_activity shows. */
  name?: string;
  /** The statement timeout on the server, in milliseconds. The default is one second longer than the client waits. */
  statementTimeoutMs?: number;
}

const ANSWER_MS = 30_000;

/** Creates a pool, which connects later. @throws InputError for an invalid address. */
export function openDatabase(config: PostgresConfig, log: Log, options: DatabaseOptions = {}): Database {
  const address = parseAddress(config);
  const mapErrors = errorMapper(address.where);
  // Without this timeout, the server would continue an abandoned statement while another statement repeats it.
  const statementTimeoutMs = options.statementTimeoutMs ?? ANSWER_MS + 1000;
  const { connect, isPooled, close } = openConnections(address, log, {
    name: options.name ?? 'jobledger',
    connections: options.connections ?? 4,
    answerMs: ANSWER_MS,
    statementTimeoutMs,
  });
  const transaction: Database['transaction'] = async (work, signal) => {
    const client = await connect();
    const begin = isPooled() ? `begin; set local statement_timeout = ${statementTimeoutMs}` : 'begin';
    return runTransaction(client, { begin, mapErrors, work, signal });
  };
  return {
    config,
    run: async (statement) => {
      const client = await connect();
      if (!isPooled()) return runStatement(client, mapErrors, statement);
      client.release();
      return transaction((run) => run(statement));
    },
    transaction,
    close,
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

async function runStatement<Row>(
  client: PoolClient,
  mapErrors: MapErrors,
  statement: Statement,
): Promise<Row[]> {
  let failure: Error | undefined;
  client.on('error', ignoreBreak);
  try {
    return (await mapErrors(client.query(statement))).rows as Row[];
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.off('error', ignoreBreak);
    client.release(failure);
  }
}

type MapErrors = <R>(work: Promise<R>) => Promise<R>;

interface Transaction<T> {
  /** The statements that begin a transaction. */
  begin: string;
  mapErrors: MapErrors;
  work: (run: Run) => Promise<T>;
  signal: AbortSignal | undefined;
}

async function runTransaction<T>(
  client: PoolClient,
  { begin, mapErrors, work, signal }: Transaction<T>,
): Promise<T> {
  let broken = false;
  // If a statement is running, the connection is closed at once instead of after the statement.
  const close = (): void => void client.end().catch(ignoreBreak);
  client.on('error', ignoreBreak);
  signal?.addEventListener('abort', close);
  try {
    signal?.throwIfAborted();
    await mapErrors(client.query(begin));
    const result = await work(async (statement) => {
      signal?.throwIfAborted();
      return (await mapErrors(client.query(statement))).rows;
    });
    await mapErrors(client.query('commit'));
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    broken = error instanceof UnavailableError || !(await rollBack(client));
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

/** Rolls the transaction back; false when the connection is broken. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
