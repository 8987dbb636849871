import { setTimeout as sleep } from 'node:timers/promises';
import type { JobEvent } from '../../workflows/job/events.ts';
import { messageOf } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { endsOf } from '../adapters/kafka/scan.ts';
import { createLag } from './lag.ts';
import type { Metrics } from '../adapters/metrics/metrics.ts';

/** Counts events that were appended to the ledger, or read from it. */
export type CountEvents = (events: readonly JobEvent[]) => void;

export function countAppended(metrics: Metrics): CountEvents {
  return countEvents(
    metrics,
    'jobledger_events_appended_total',
    'Events that Kafka has acknowledged, by type.',
  );
}

export function countRead(metrics: Metrics): CountEvents {
  return countEvents(
    metrics,
    'jobledger_events_read_total',
    'Events that were read from the ledger, by type.',
  );
}

function countEvents(metrics: Metrics, name: string, help: string): CountEvents {
  const count = metrics.counter({ name, help, labels: ['type'] });
  return (events) => {
    for (const { type } of events) count({ type });
  };
}

export interface LagDependencies {
  kafka: KafkaConnection;
  /** Who reads: the value of the label. */
  reader: string;
  /** The offset of each partition before which everything is done with. */
  positions: () => Promise<ReadonlyMap<number, bigint>>;
  signal: AbortSignal;
}

const PERIOD_MS = 5000;

/**
 * Shows how far a reader is behind the end of the ledger, until `signal` is aborted. It is asked for beside the reader, so
 * that it also tells of one that hangs; every process that reads with others tells of all partitions.
 */
export function showLag(metrics: Metrics, { kafka, reader, positions, signal }: LagDependencies): void {
  const lag = createLag();
  const labels = ['reader', 'partition'];
  const of = (partition: number) => ({ reader, partition: String(partition) });
  metrics.gauge(
    { name: 'jobledger_lag_events', help: 'Events of the ledger that are not done with.', labels },
    () => lag.behind(Date.now()).map(({ partition, events }) => ({ labels: of(partition), value: events })),
  );
  metrics.gauge(
    { name: 'jobledger_lag_seconds', help: 'For how long the oldest of them has waited.', labels },
    () => lag.behind(Date.now()).map(({ partition, seconds }) => ({ labels: of(partition), value: seconds })),
  );
  let known: ReadonlyMap<number, bigint> = new Map();
  const look = async (): Promise<void> => {
    // Where the reader keeps its position may be away: it is then where it was.
    known = await positions().catch(() => known);
    lag.look(Date.now(), await endsOf(kafka, kafka.topics.ledger), known);
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await look().catch((error: unknown) =>
        kafka.log.debug({ error: messageOf(error) }, 'the end of the ledger is not known now'),
      );
      await sleep(PERIOD_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  void loop();
}
