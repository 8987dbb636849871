import { createReadCounter } from '../consumers/ledger-metrics.ts';
import { doublingBounds, type Metrics } from '../adapters/metrics/metrics.ts';
import type { RecordBatch } from './apply.ts';

/** Counts applied batches; each batch is one transaction. */
export function batchCounter(metrics: Metrics): (batch: RecordBatch, seconds: number) => void {
  const read = createReadCounter(metrics);
  const sizes = metrics.histogram({
    name: 'jobledger_projection_batch_records',
    help: 'Records applied per transaction.',
    buckets: doublingBounds(1, 10),
    labels: [],
  });
  const times = metrics.histogram({
    name: 'jobledger_projection_batch_seconds',
    help: 'Duration of the transactions that apply records.',
    buckets: doublingBounds(0.002, 13),
    labels: [],
  });
  return ({ events, deadLetters: letters }, seconds) => {
    read(events.map(({ event }) => event));
    sizes({}, events.length + letters.length);
    times({}, seconds);
  };
}

/** Counts deliveries to each sink, by its name. */
export function deliveryCounter(
  metrics: Metrics,
): (sink: string) => { onDelivered: () => void; onFailed: () => void } {
  const delivered = metrics.counter({
    name: 'jobledger_sink_deliveries_total',
    help: 'Messages about Jobs that the sink received.',
    labels: ['sink'],
  });
  const failed = metrics.counter({
    name: 'jobledger_sink_failures_total',
    help: 'Deliveries that the sink did not take, and errors of Postgres while they were prepared.',
    labels: ['sink'],
  });
  return (sink) => {
    // The counters start with 0, so that an alert sees the first increase.
    for (const count of [delivered, failed]) count({ sink }, 0);
    return { onDelivered: () => delivered({ sink }), onFailed: () => failed({ sink }) };
  };
}
