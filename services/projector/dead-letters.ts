import type { Appender } from '../adapters/kafka/append.ts';
import type { DeadLetter } from './read-records.ts';

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
