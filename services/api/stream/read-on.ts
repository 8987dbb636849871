import type { JobEvent } from '../../../workflows/job/events.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { appliedPositions, eventsIn, type EventFilter, type PositionedRow } from '../queries/new-events.ts';
import { moved, spansBehind, type Positions, type Span } from './positions.ts';

/** An event, and how far a reader has come that has it. */
export interface EventAtPositions {
  event: JobEvent;
  positions: Positions;
}

export interface EventBatch {
  events: EventAtPositions[];
  /** Where to go on; further than the last event when the filter let others not through. */
  next: Positions;
}

/** Offsets of a partition that one statement looks at, so that it is short however little a filter lets through. */
const SPAN = 5000n;

/** How far the tables have come. */
export async function appliedEnds(run: Run, topic: string): Promise<Positions> {
  const rows = await run<{ partition: number; next_offset: string }>(appliedPositions(topic));
  return new Map(rows.map((row) => [row.partition, BigInt(row.next_offset)]));
}

/** At most `limit` events behind the positions. */
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

/** Puts the rows of all partitions in one order and tells the positions after each. `rows` is at most `limit` a span. */
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
    .map(({ kafka_partition: partition, kafka_offset: offset, ...event }) => {
      next = moved(next, partition, BigInt(offset) + 1n);
      return { event, positions: next };
    });
  const left = new Set(ordered.slice(limit).map((row) => row.kafka_partition));
  for (const { partition, beyond } of spans) {
    const found = rows.filter((row) => row.kafka_partition === partition).length;
    // Nothing of the span is left: what comes next lies beyond it.
    if (found < limit && !left.has(partition)) next = moved(next, partition, beyond);
  }
  return { events, next };
}

/** By time, but never against the order of a partition: positions tell how far that was read. */
function inOrder(rows: readonly PositionedRow[]): PositionedRow[] {
  const latest = new Map<number, string>();
  const keyed = rows.map((row) => {
    const before = latest.get(row.kafka_partition) ?? '';
    const key = row.time > before ? row.time : before;
    latest.set(row.kafka_partition, key);
    return { key, row };
  });
  // Rows come by partition and offset, and sorting keeps equals in that order.
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(({ row }) => row);
}
