import type { JobEvent } from '../../../workflows/job/events.ts';
import { storedEvent, type StoredEvent } from '../../adapters/events/event-codec.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { eventsIn, type EventFilter, type PositionedRow } from '../queries/new-events.ts';
import { moved, spansBehind, type Positions, type Span } from './positions.ts';

/** An event, and the positions after it. */
export interface EventAtPositions {
  event: JobEvent;
  positions: Positions;
}

export interface EventBatch {
  events: EventAtPositions[];
  /** The positions to continue at; beyond the last event when the filter skipped later ones. */
  next: Positions;
}

/** The most offsets of a partition per statement, so that the statement is fast even when the filter matches little. */
const SPAN = 5000n;

/** Reads at most `limit` events after the positions. */
export async function readOn(
  run: Run,
  from: Positions,
  ends: Positions,
  { filter, limit }: { filter: EventFilter; limit: number },
): Promise<EventBatch> {
  const spans = spansBehind(from, ends, SPAN);
  if (spans.length === 0) return { events: [], next: from };
  const rows = await run<PositionedRow>(eventsIn(spans, filter, limit));
  return batchOf(from, spans, rows, limit);
}

/**
 * Merges the rows of all partitions and computes the positions after each. `rows` has at most `limit` rows per span.
 */
export function batchOf(
  from: Positions,
  spans: readonly Span[],
  rows: readonly PositionedRow[],
  limit: number,
): EventBatch {
  const ordered = inOrder(rows);
  let next = from;
  const events = ordered
    .slice(0, limit)
    .map(({ kafka_partition: partition, kafka_offset: offset, ...row }) => {
      next = moved(next, partition, BigInt(offset) + 1n);
      return { event: storedEvent(row as StoredEvent<JobEvent>), positions: next };
    });
  const left = new Set(ordered.slice(limit).map((row) => row.kafka_partition));
  for (const { partition, beyond } of spans) {
    const found = rows.filter((row) => row.kafka_partition === partition).length;
    // The whole span was read, so continue after it.
    if (found < limit && !left.has(partition)) next = moved(next, partition, beyond);
  }
  return { events, next };
}

/** Orders by time without reordering events of one partition, because positions assume partition order. */
function inOrder(rows: readonly PositionedRow[]): PositionedRow[] {
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
