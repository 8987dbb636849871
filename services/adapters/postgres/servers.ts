import { Pool, types, type Client, type ClientConfig, type PoolClient } from 'pg';
import { errorMessage, UnavailableError } from '../errors.ts';
import type { Log } from '../process/log.ts';
import type { PostgresAddress } from './address.ts';
import { errorMapper, isRefusedByPooler } from './failures.ts';

const CONNECT_MS = 3000;

type TypeId = (typeof types.builtins)[keyof typeof types.builtins];

/** The settings of all connections of Jobledger. pg_stat_activity shows `name`. */
export function clientConfig(server: string, name: string): ClientConfig {
  return {
    connectionString: server,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: { getTypeParser: ((oid: TypeId) => typeParser(oid)) as typeof types.getTypeParser },
  };
}

function typeParser(oid: TypeId): (text: string) => unknown {
  if (oid === types.builtins.TIMESTAMPTZ) return (text) => new Date(text).toISOString();
  return types.getTypeParser(oid, 'text') as (text: string) => unknown;
}

/** @throws UnavailableError if the server is a standby. */
export async function requireWritable(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ is_read_only: boolean }>(
    "select current_setting('transaction_read_only') = 'on' as is_read_only",
  );
  if (rows[0]?.is_read_only !== false) throw new UnavailableError('the server is a standby');
}

/**
 * Tries the servers, beginning with one of them. @throws the error of `attempt`, unless another server may be
 * available.
 */
export async function firstAvailable<T>(
  { servers, where }: Pick<PostgresAddress, 'servers' | 'where'>,
  begin: number,
  attempt: (at: number) => Promise<T>,
): Promise<T> {
  const failures: unknown[] = [];
  for (const tried of servers.keys()) {
    try {
      return await attempt((begin + tried) % servers.length);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  throw new UnavailableError(`no server of Postgres at ${where} can be used`, {
    cause: new AggregateError(failures),
  });
}

export interface PoolOptions {
  name: string;
  /** The most connections. */
  connections: number;
  /** The time that the client waits for an answer, in milliseconds. */
  answerMs: number;
  /** The statement timeout on the server, in milliseconds. */
  statementTimeoutMs: number;
}

/** The connections to the first usable server, and after a failover to another server. */
export interface Connections {
  /** @throws UnavailableError when no server answers, InputError when Postgres refuses us. */
  connect(): Promise<PoolClient>;
  /**
   * True once a pooler such as PgBouncer has refused the statement timeout as a setting of the connection: each
   * transaction then sets its own timeout, because two transactions may use different connections of the server.
   */
  isPooled(): boolean;
  close(): Promise<void>;
}

/** Creates the pools, which connect later. */
export function openConnections(address: PostgresAddress, log: Log, options: PoolOptions): Connections {
  const mapErrors = errorMapper(address.where);
  const { name, connections, answerMs, statementTimeoutMs } = options;
  const createPool = (server: string, isPooled: boolean): Pool => {
    const pool = new Pool({
      ...clientConfig(server, name),
      max: connections,
      query_timeout: answerMs,
      ...(!isPooled && { statement_timeout: statementTimeoutMs }),
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for the promise; the type of onConnect lacks it
      ...(address.isWritable && { onConnect: requireWritable }),
    });
    // The pool replaces an idle connection that breaks; without a listener the error would end the process.
    pool.on('error', (error) =>
      log.debug({ error: errorMessage(error) }, 'an idle Postgres connection broke'),
    );
    return pool;
  };
  let isPooled = false;
  let pools = address.servers.map((server) => createPool(server, isPooled));
  let current = 0;
  const usePooler = (): void => {
    isPooled = true;
    for (const pool of pools) void pool.end();
    pools = address.servers.map((server) => createPool(server, isPooled));
  };
  const connectTo = async (at: number): Promise<PoolClient> => {
    const wasPooled = isPooled;
    try {
      const client = await pools[at]?.connect();
      if (client === undefined)
        throw new UnavailableError('the list of servers has no server at this position');
      current = at;
      return client;
    } catch (error) {
      if (wasPooled || !isRefusedByPooler(error)) throw error;
      // Another caller may have switched to the pooler already.
      if (!isPooled) usePooler();
      return connectTo(at);
    }
  };
  return {
    connect: () => firstAvailable(address, current, (at) => mapErrors(connectTo(at))),
    isPooled: () => isPooled,
    close: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}
