import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { decodeEvent, eventKey } from '../../../services/adapters/events/event-codec.ts';
import type { Appender } from '../../../services/adapters/kafka/append.ts';
import type { ImportComparison } from './comparison.ts';
import type { InputLine } from '../../ledger/lines.ts';

const BATCH = 500;

/**
 * Appends the events that the ledger lacks, each line unchanged and in file order, so that each Job's stream keeps its
 * order. Calls `onAppended` with the number of events in each batch.
 */
export async function appendMissing(
  lines: AsyncIterable<InputLine>,
  comparison: ImportComparison,
  {
    appender,
    topic,
    isLeftOut = () => false,
  }: { appender: Pick<Appender, 'write'>; topic: string; isLeftOut?: (event: LedgerEvent) => boolean },
  onAppended: (events: number) => void,
): Promise<void> {
  let batch: { key: string; value: string }[] = [];
  // Appends the collected events to the ledger.
  const flush = async (): Promise<void> => {
    await appender.write(topic, batch);
    onAppended(batch.length);
    batch = [];
  };
  for await (const { text } of lines) {
    const event = decodeEvent(text);
    if (isLeftOut(event) || comparison.has(event)) continue;
    // If the file has the same event again, that event is a repeat.
    comparison.add(event);
    batch.push({ key: eventKey(event), value: text });
    if (batch.length >= BATCH) await flush();
  }
  await flush();
}
