import { decodeEvent, keyOf } from '../../../adapters/event-codec.ts';
import type { Appender } from '../../../adapters/kafka/append.ts';
import type { ImportComparison } from './comparison.ts';
import type { InputLine } from './lines.ts';

const BATCH = 500;

/**
 * Appends what the ledger lacks, each line as it stands, in the order of the file: so each Job's stream keeps its own.
 * `onAppended` hears how many events each batch had.
 */
export async function appendMissing(
  lines: AsyncIterable<InputLine>,
  comparison: ImportComparison,
  { appender, topic }: { appender: Pick<Appender, 'write'>; topic: string },
  onAppended: (events: number) => void,
): Promise<void> {
  let batch: { key: string; value: string }[] = [];
  const flush = async (): Promise<void> => {
    await appender.write(topic, batch);
    onAppended(batch.length);
    batch = [];
  };
  for await (const { text } of lines) {
    const event = decodeEvent(text);
    if (comparison.has(event)) continue;
    // From here on the same event again is a repeat.
    comparison.add(event);
    batch.push({ key: keyOf(event), value: text });
    if (batch.length >= BATCH) await flush();
  }
  await flush();
}
