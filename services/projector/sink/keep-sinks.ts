import type { Metrics } from '../../adapters/metrics/metrics.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import type { Log } from '../../adapters/process/log.ts';
import { deliveryCounter } from '../metrics.ts';
import { formatBody } from './bodies/body.ts';
import type { JobSink } from './config.ts';
import { deliver } from './deliver.ts';
import { keepSink } from './keep-sink.ts';

/** A search has one, and short statements about the messages that are being delivered share the others. */
export const CONNECTIONS_OF_SINK = 4;

interface SinksDependencies {
  /** With `CONNECTIONS_OF_SINK` for each sink. */
  database: Database;
  topic: string;
  metrics: Metrics;
  log: Log;
  signal: AbortSignal;
}

/** Delivers to each sink beside the others, with positions and messages of its own: one that is down holds up no other. */
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
