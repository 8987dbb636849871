import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { tracedStream } from '../adapters/tracing/event-spans.ts';
import type { RecordSpan } from '../adapters/tracing/span.ts';

/**
 * The age beyond which an event gets no span, in milliseconds, because older events come from reading the ledger again.
 */
const MAX_AGE_MS = 600_000;

/** Records a span for each event whose rows were committed. */
export function traceRows(record: RecordSpan): (events: readonly LedgerEvent[], start: number) => void {
  return (events, start) => {
    const end = Date.now();
    for (const event of events) {
      const stream = tracedStream(event);
      if (stream === null || end - Date.parse(event.time) > MAX_AGE_MS) continue;
      record({ stream, name: `rows of ${event.type}`, kind: 'consumer', parent: event.id, start, end });
    }
  };
}
