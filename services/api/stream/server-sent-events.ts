import { cloudEventOf } from '../../adapters/event-codec.ts';
import { positionsText, type Positions } from './positions.ts';
import type { EventBatch } from './read-on.ts';

/** After so long a reader whose connection broke asks again, in milliseconds. */
const RETRY_MS = 2000;

/**
 * The text of a stream, by the standard of server-sent events. Each event's id is the positions after it: given back as
 * `Last-Event-ID` the stream goes on with the next. An id without an event only moves the reader's mark.
 */
export async function* serverSentEvents(
  from: Positions,
  batches: AsyncIterable<EventBatch>,
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n${mark(from)}`;
  for await (const { events, next } of batches) {
    for (const { event, positions } of events)
      yield `id: ${positionsText(positions)}\ndata: ${JSON.stringify(cloudEventOf(event))}\n\n`;
    yield mark(next);
  }
}

function mark(positions: Positions): string {
  return `id: ${positionsText(positions)}\n:\n\n`;
}
