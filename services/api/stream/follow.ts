import { pause } from '../../adapters/waiting/pause.ts';
import type { EventFilter } from '../queries/new-events.ts';
import type { Positions } from './positions.ts';
import type { EventBatch } from './read-on.ts';

/** The reads that a stream of new events needs. */
export interface EventFeed {
  /** The positions of the tables. The function is called often, so its result may be cached briefly. */
  ends(): Promise<Positions>;
  /** Reads the next events that match the filter, between two positions of the tables. */
  readOn(from: Positions, ends: Positions, filter: EventFilter): Promise<EventBatch>;
}

/** The milliseconds between two polls for new events. */
export const POLL_MS = 250;
/** The milliseconds without events after which an empty batch keeps the connection alive. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Yields batches of events after the positions, until the signal is aborted. An empty batch keeps the connection alive
 * and advances the positions. It follows after a time without events, or when the filter has skipped many events.
 */
export async function* followEvents(
  feed: EventFeed,
  from: Positions,
  filter: EventFilter,
  { signal, keepAliveMs = KEEP_ALIVE_MS }: { signal: AbortSignal; keepAliveMs?: number },
): AsyncGenerator<EventBatch> {
  let positions = from;
  let lastSent = Date.now();
  while (!signal.aborted) {
    const batch = await feed.readOn(positions, await feed.ends(), filter);
    const isAtEnd = batch.next === positions;
    positions = batch.next;
    if (batch.events.length > 0 || Date.now() - lastSent >= keepAliveMs) {
      yield batch;
      lastSent = Date.now();
    }
    if (isAtEnd) await pause(POLL_MS, signal);
  }
}
