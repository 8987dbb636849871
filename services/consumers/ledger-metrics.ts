import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { errorMessage } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { readEnds } from '../adapters/kafka/scan.ts';
import { createLag } from './lag.ts';
import type { Metrics } from '../adapters/metrics/metrics.ts';
import { pause } from '../adapters/waiting/pause.ts';

/** Counts events that were appended to the ledger or read from it. */
export type CountEvents = (events: readonly LedgerEvent[]) => void;

/** Creates the counter of events that Kafka has acknowledged. */
export function createAppendedCounter(metrics: Metrics): CountEvents {
  return createEventCounter(
    metrics,
    'jobledger_events_appended_total',
    'Events that Kafka has acknowledged, by type.',
  );
}

/** Creates the counter of events that were read from the ledger. */
export function createReadCounter(metrics: Metrics): CountEvents {
  return createEventCounter(
    metrics,
    'jobledger_events_read_total',
    'Events that were read from the ledger, by type.',
  );
}

/** Creates a metric that counts events by type. */
function createEventCounter(metrics: Metrics, name: string, help: string): CountEvents {
  const count = metrics.counter({ name, help, labels: ['type'] });
  return (events) => {
    for (const { type } of events) count({ type });
  };
}

export interface LagDependencies {
  kafka: KafkaConnection;
  /** The value of the `reader` label. */
  reader: string;
  /** For each partition, the offset before which every record is processed. */
  positions: () => Promise<ReadonlyMap<number, bigint>>;
  signal: AbortSignal;
}

const PERIOD_MS = 5000;

/**
 * Shows the lag of a reader until `signal` is aborted. The lag is measured independently of the reader, so that it also
 * shows a hanging reader. Every process of a consumer group reports all partitions.
 */
export function showLag(metrics: Metrics, { kafka, reader, positions, signal }: LagDependencies): void {
  const lag = createLag();
  const labels = ['reader', 'partition'];
  const labelsOf = (partition: number) => ({ reader, partition: String(partition) });
  metrics.gauge(
    {
      name: 'jobledger_lag_events',
      help: 'Events of the ledger that the reader has not processed yet.',
      labels,
    },
    () =>
      lag
        .partitionLags(Date.now())
        .map(({ partition, events }) => ({ labels: labelsOf(partition), value: events })),
  );
  metrics.gauge(
    {
      name: 'jobledger_lag_seconds',
      help: 'The age of the oldest event that the reader has not processed yet.',
      labels,
    },
    () =>
      lag
        .partitionLags(Date.now())
        .map(({ partition, seconds }) => ({ labels: labelsOf(partition), value: seconds })),
  );
  let known: ReadonlyMap<number, bigint> = new Map();
  const measure = async (): Promise<void> => {
    // While the store of the positions is down, the last known positions apply.
    known = await positions().catch(() => known);
    lag.addSample(Date.now(), await readEnds(kafka, kafka.topics.ledger), known);
  };
  const measureRepeatedly = async (): Promise<void> => {
    while (!signal.aborted) {
      await measure().catch((error: unknown) =>
        kafka.log.debug({ error: errorMessage(error) }, 'the end of the ledger cannot be read'),
      );
      await pause(PERIOD_MS, signal);
    }
  };
  void measureRepeatedly();
}
