import type { Appender } from '../adapters/kafka/append.ts';
import type { LedgerRecord } from '../adapters/kafka/subscribe.ts';
import type { Metrics } from '../adapters/metrics/metrics.ts';

/** An unusable record, with the reason. */
export interface DeadLetter {
  record: LedgerRecord;
  reason: string;
}

/** Writes unusable records to the dead-letter topic unchanged, with the reason in the headers. */
export async function writeDeadLetters(
  appender: Pick<Appender, 'write'>,
  topics: { ledger: string; deadLetters: string },
  letters: readonly DeadLetter[],
): Promise<void> {
  const messages = letters.map(({ record, reason }) => ({
    key: record.key,
    value: record.value,
    headers: {
      reason,
      topic: topics.ledger,
      partition: String(record.partition),
      offset: record.offset.toString(),
    },
  }));
  await appender.write(topics.deadLetters, messages);
}

/** What the log of each names. */
export function describedLetter({ record, reason }: DeadLetter): Record<string, unknown> {
  return { partition: record.partition, offset: record.offset.toString(), key: record.key, reason };
}

/** Counts records that were moved to the dead letters. */
export function countDeadLetters(metrics: Metrics): (letters: number) => void {
  const count = metrics.counter({
    name: 'jobledger_dead_letters_total',
    help: 'Records of the ledger that were moved to the dead letters because they could not be used.',
    labels: [],
  });
  let last = 0;
  metrics.gauge(
    {
      name: 'jobledger_last_dead_letter_timestamp_seconds',
      help: 'When a record was last moved to the dead letters; 0: not since this process started.',
      labels: [],
    },
    () => [{ labels: {}, value: last }],
  );
  return (letters) => {
    count({}, letters);
    if (letters > 0) last = Date.now() / 1000;
  };
}
