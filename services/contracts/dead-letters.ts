import type { JobRef } from '../../workflows/activities.ts';
import { keyOfStreamId, kindOf, streamId } from '../../workflows/kinds.ts';
import type { Appender } from '../adapters/kafka/append.ts';
import type { LedgerRecord } from '../adapters/kafka/subscribe.ts';
import type { Metrics } from '../adapters/metrics/metrics.ts';

/** An unusable record, with the reason. */
export interface DeadLetter {
  record: LedgerRecord;
  reason: string;
}

/** Who set something aside. The projector also lists its records in the table `dead_letters`. */
export type SetAsideBy = 'projector' | 'dispatcher' | 'worker';

interface Topics {
  ledger: string;
  deadLetters: string;
}

/** Writes unusable records to the dead-letter topic unchanged, with the reason in the headers. */
export async function writeDeadLetters(
  appender: Pick<Appender, 'write'>,
  topics: Topics,
  { by, letters }: { by: SetAsideBy; letters: readonly DeadLetter[] },
): Promise<void> {
  const messages = letters.map(({ record, reason }) => ({
    key: record.key,
    value: record.value,
    headers: {
      reason,
      topic: topics.ledger,
      partition: String(record.partition),
      offset: record.offset.toString(),
      by,
      at: new Date().toISOString(),
    },
  }));
  await appender.write(topics.deadLetters, messages);
}

/** Writes a dead letter about a run that cannot decide: its stream stays in the ledger, so it has no record. */
export async function writeFaultyRun(
  appender: Pick<Appender, 'write'>,
  topics: Topics,
  { job, fault }: { job: JobRef; fault: string },
): Promise<void> {
  const { namespace, name } = job;
  const reason = `nothing is decided about the ${kindOf(job).name} ${namespace}/${name}: ${fault}`;
  const headers = { reason, topic: topics.ledger, by: 'worker', at: new Date().toISOString() };
  await appender.write(topics.deadLetters, [{ key: keyOfStreamId(streamId(job)), value: null, headers }]);
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
