import { countRead } from '../contracts/ledger-metrics.ts';
import { doubling, type Metrics } from '../adapters/metrics/metrics.ts';
import type { RecordBatch } from './apply.ts';

/** Counts what was applied: each batch is one transaction. */
export function countBatches(metrics: Metrics): (batch: RecordBatch, seconds: number) => void {
  const read = countRead(metrics);
  const sizes = metrics.histogram({
    name: 'jobledger_projection_batch_records',
    help: 'Records that one transaction applied.',
    buckets: doubling(1, 10),
    labels: [],
  });
  const times = metrics.histogram({
    name: 'jobledger_projection_batch_seconds',
    help: 'How long it took to apply them.',
    buckets: doubling(0.002, 13),
    labels: [],
  });
  const deadLetters = metrics.counter({
    name: 'jobledger_dead_letters_total',
    help: 'Records of the ledger that were set aside because they could not be used.',
    labels: [],
  });
  let lastDeadLetter = 0;
  metrics.gauge(
    {
      name: 'jobledger_last_dead_letter_timestamp_seconds',
      help: 'When a record was last set aside; 0 when none was since this process began.',
      labels: [],
    },
    () => [{ labels: {}, value: lastDeadLetter }],
  );
  return ({ events, deadLetters: letters }, seconds) => {
    read(events.map(({ event }) => event));
    sizes({}, events.length + letters.length);
    times({}, seconds);
    deadLetters({}, letters.length);
    if (letters.length > 0) lastDeadLetter = Date.now() / 1000;
  };
}
