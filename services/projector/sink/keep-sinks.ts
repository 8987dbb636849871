import type { Metrics } from '../../adapters/metrics/metrics.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import type { Log } from '../../adapters/process/log.ts';
import { deliveryCounter } from '../metrics.ts';
import { formatBody } from './bodies/body.ts';
import type { JobSink } from './config.ts';
import { deliver } from './post-message.ts';
import { keepSink } from './keep-sink.ts';

/**
 * The number of connections for each sink. A search uses one connection, and short statements about messages in
 * delivery share the other connections.
 */
export const CONNECTIONS_OF_SINK = 4;

interface SinksDependencies {
  /** The pool has `CONNECTIONS_OF_SINK` for each sink. */
  database: Database;
  topic: string;
  metrics: Metrics;
  log: Log;
  signal: AbortSignal;
}

/**
 * Delivers messages to all sinks concurrently. Each sink has its own positions and messages, so that a failing sink
 * delays no other sink.
 */
export async function keepSinks(
  sinks: readonly JobSink[],
  { database, topic, metrics, log, signal }: SinksDependencies,
): Promise<void> {
  const counts = deliveryCounter(metrics);
  await Promise.all(
    sinks.map(({ name, to, types, filter, body: kind, page }) =>
      keepSink({
        database,
        key: { sink: name, topic },
        types,
        filter,
        deliver: (message) => {
          const body = formatBody(message, { kind, page, now: Date.now() });
          return deliver(to, { id: message.id, body }, signal);
        },
        ...counts(name),
        log,
        signal,
      }),
    ),
  );
}
