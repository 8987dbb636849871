import { toCloudEvent } from '../../adapters/events/event-codec.ts';
import { positionsText, type Positions } from './positions.ts';
import type { EventBatch } from './read-on.ts';

/** The time after which a disconnected client reconnects, in milliseconds. */
const RETRY_MS = 2000;

/**
 * The text of a server-sent event stream. The id of an event contains the positions after the event. A client that
 * sends the id as `Last-Event-ID` continues with the next event. An id without an event only advances the client's
 * position.
 */
export async function* serverSentEvents(
  from: Positions,
  batches: AsyncIterable<EventBatch>,
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n${positionMessage(from)}`;
  for await (const { events, next } of batches) {
    for (const { event, positions } of events)
      yield `id: ${positionsText(positions)}\ndata: ${JSON.stringify(toCloudEvent(event))}\n\n`;
    yield positionMessage(next);
  }
}

function positionMessage(positions: Positions): string {
  return `id: ${positionsText(positions)}\n:\n\n`;
}
