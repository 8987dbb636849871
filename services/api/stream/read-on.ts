import type { JobEvent } from '../../../workflows/job/events.ts';
import { storedEvent, type StoredEvent } from '../../adapters/events/event-codec.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import {
  eventsAt,
  placesIn,
  type EventFilter,
  type EventPlace,
  type PositionedRow,
} from '../queries/new-events.ts';
import { readWithinBytes } from '../queries/within-bytes.ts';
import { withPosition, spansBehind, type Positions, type Span } from './positions.ts';

/** An event, and the positions after it. */
export interface EventAtPositions<E = JobEvent> {
  event: E;
  positions: Positions;
}

export interface EventBatch<E = JobEvent> {
  events: EventAtPositions<E>[];
  /** The positions at which to continue, which are beyond the last event when the filter skipped later events. */
  next: Positions;
}

/**
 * The maximum number of offsets of a partition per statement, so that the statement is fast even when the filter
 * matches few events.
 */
const SPAN = 5000n;

/** Reads at most `limit` events after the positions, and fewer when the events are long. */
export async function readEventsAfter(
  run: Run,
  from: Positions,
  ends: Positions,
  { filter, limit }: { filter: EventFilter; limit: number },
): Promise<EventBatch> {
  const spans = spansBehind(from, ends, SPAN);
  if (spans.length === 0) return { events: [], next: from };
  const places = await run<EventPlace>(placesIn(spans, filter, limit));
  const wanted = orderByTime(places).slice(0, limit);
  let read = 0;
  const { rows } = await readWithinBytes<PositionedRow>(wanted.length, (_last, count) => {
    const next = wanted.slice(read, read + count);
    read += next.length;
    return run(eventsAt(next));
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const { events, next } = toBatch(from, spans, places, rows.length < wanted.length ? rows.length : limit);
  return {
    next,
    events: events.flatMap(({ event: place, positions }) => {
      const row = byId.get(place.id);
      // Retention may have dropped the month of the event since the first statement.
      if (row === undefined) return [];
      const { kafka_partition: _partition, kafka_offset: _offset, ...event } = row;
      return [{ event: storedEvent(event as StoredEvent<JobEvent>), positions }];
    }),
  };
}

/**
 * Merges the rows of all partitions and computes the positions after each row. `rows` has at most `limit` rows per span.
 */
export function toBatch<E extends EventPlace>(
  from: Positions,
  spans: readonly Span[],
  rows: readonly E[],
  limit: number,
): EventBatch<E> {
  const ordered = orderByTime(rows);
  let next = from;
  const events = ordered.slice(0, limit).map((event) => {
    next = withPosition(next, event.kafka_partition, BigInt(event.kafka_offset) + 1n);
    return { event, positions: next };
  });
  const left = new Set(ordered.slice(limit).map((row) => row.kafka_partition));
  for (const { partition, beyond } of spans) {
    const found = rows.filter((row) => row.kafka_partition === partition).length;
    // The whole span was read, so the reading continues after it.
    if (found < limit && !left.has(partition)) next = withPosition(next, partition, beyond);
  }
  return { events, next };
}

/** Orders by time without reordering events of one partition, because positions assume partition order. */
function orderByTime<E extends EventPlace>(rows: readonly E[]): E[] {
  const latest = new Map<number, string>();
  const keyed = rows.map((row) => {
    const before = latest.get(row.kafka_partition) ?? '';
    const key = row.time > before ? row.time : before;
    latest.set(row.kafka_partition, key);
    return { key, row };
  });
  // Rows arrive ordered by partition and offset, and the sort is stable.
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(({ row }) => row);
}
