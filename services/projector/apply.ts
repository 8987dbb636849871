import { JobledgerError } from '../adapters/errors.ts';
import type { Database, Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { markMembers, mayShowMember } from './mark-members.ts';
import { eventRows, type PositionedEvent } from './projections/events.ts';
import { toTimestamp } from './projections/instants.ts';
import { projectStored } from './projections/project-stored.ts';
import { visitTables } from './projections/rows.ts';
import type { ReadRecords } from './read-records.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { CRON_JOB_EVENTS, DEAD_LETTERS, EVENTS } from '../read-model/tables/events.ts';
import { selectByKey, upsert, type Key } from './statements.ts';
import { type Table } from '../read-model/tables/table.ts';

/** Consecutive records of one partition, and the offset after the last of them. */
export interface RecordBatch extends ReadRecords {
  partition: number;
  /** The offset of the first record. */
  first: bigint;
  next: bigint;
}

export interface AppliedLedger {
  database: Database;
  topic: string;
  /** The id of the Kafka cluster of the ledger. By default, the id is not recorded. */
  cluster?: string | null | undefined;
  /** Called with the newly applied events of a transaction, and the time when it began. */
  onApplied?: ((events: readonly LedgerEvent[], start: number) => void) | undefined;
}

/**
 * Thrown when Postgres lost its last transactions in a failover, or was restored. The partition must be read again from
 * `position`.
 */
export class WentBackError extends JobledgerError {
  override readonly name = 'WentBackError';
  readonly position: bigint;

  constructor(partition: number, known: bigint, position: bigint) {
    super(
      `the position of partition ${partition} in Postgres moved back from ${known} to ${position}: Postgres was restored, or lost its last transactions in a failover`,
    );
    this.position = position;
  }
}

/** The next offset to apply in a partition. */
export async function readPosition({ database, topic }: AppliedLedger, partition: number): Promise<bigint> {
  const rows = await database.run<{ next_offset: string }>(
    sql`select next_offset from jobledger.positions where topic = ${topic} and partition = ${partition}`,
  );
  return BigInt(rows[0]?.next_offset ?? 0);
}

/** A batch, and the last position that the caller has seen. */
export interface KnownBatch {
  batch: RecordBatch;
  known: bigint;
}

/**
 * Applies records of several partitions and advances their positions, in one transaction. Records before a position are
 * skipped, so that two owners of one partition leave the same rows.
 */
export async function applyBatches(
  { database, topic, cluster, onApplied }: AppliedLedger,
  batches: readonly KnownBatch[],
): Promise<void> {
  const start = Date.now();
  const fresh = await database.transaction(async (run) => {
    await beginPositions(run, { topic, cluster }, batches);
    const partitions = batches.map(({ batch }) => batch.partition);
    const { positions, eventsFrom } = await lockPositions(run, topic, partitions);
    const positionOf = (partition: number): bigint => positions.get(partition) ?? 0n;
    for (const { batch, known } of batches)
      if (positionOf(batch.partition) < known)
        throw new WentBackError(batch.partition, known, positionOf(batch.partition));
    const due = batches
      .map(({ batch }) => batch)
      .filter(({ partition, next }) => next > positionOf(partition));
    if (due.length === 0) return [];
    const events = due.flatMap((batch) =>
      batch.events.filter(({ offset }) => offset >= positionOf(batch.partition)),
    );
    const applied = await filterFreshEvents(run, events);
    await applyEvents(run, applied, eventsFrom);
    for (const batch of due) await addDeadLetters(run, topic, batch);
    await run(
      sql`update jobledger.positions set next_offset = reached.next_offset, applied_at = now()
        from unnest(${due.map(({ partition }) => partition)}::integer[], ${due.map(({ next }) => next.toString())}::bigint[])
          as reached (partition, next_offset)
        where topic = ${topic} and positions.partition = reached.partition`,
    );
    return applied;
  });
  if (fresh.some(({ event }) => mayShowMember(event))) await markMembers(database.run);
  onApplied?.(
    fresh.map(({ event }) => event),
    start,
  );
}

/** Applies an event in a transaction that is rolled back. @throws the error that the event would cause. */
export async function tryApply(database: Database, positioned: PositionedEvent): Promise<void> {
  const rolledBack = new Error('rolled back');
  const applied = database.transaction(async (run) => {
    const [found] = await run<{ events_from: string | null }>(
      sql`select events_from from jobledger.retention`,
    );
    await applyEvents(run, [positioned], found?.events_from ?? null);
    throw rolledBack;
  });
  await applied.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
}

interface Begin {
  positions: ReadonlyMap<number, bigint>;
  /**
   * The time before which events are not kept; null if all events are kept. The row lock prevents other sessions from
   * dropping months during this transaction.
   */
  eventsFrom: string | null;
}

/**
 * Adds the positions of partitions from which nothing was applied yet. The rows are inserted in order, so that two
 * owners cannot deadlock.
 */
async function beginPositions(
  run: Run,
  { topic, cluster = null }: Pick<AppliedLedger, 'topic' | 'cluster'>,
  batches: readonly KnownBatch[],
): Promise<void> {
  const begun = batches.map(({ batch }) => batch);
  await run(
    sql`insert into jobledger.positions (topic, partition, next_offset, begins_at, applied_at, kafka_cluster)
      select ${topic}, partition, 0, begins_at, now(), ${cluster}::text
      from unnest(${begun.map(({ partition }) => partition)}::integer[], ${begun.map(({ first }) => first.toString())}::bigint[])
        as begun (partition, begins_at) order by partition
      on conflict do nothing`,
  );
}

/** Locks and reads the positions in the order of the partitions, so that two owners cannot deadlock. */
async function lockPositions(run: Run, topic: string, partitions: readonly number[]): Promise<Begin> {
  const found = await run<{
    partition: number;
    next_offset: string;
    events_from: string | null;
  }>(
    sql`select partition, next_offset, events_from from jobledger.positions cross join jobledger.retention
      where topic = ${topic} and partition = any(${[...partitions]}) order by partition for update of positions for share of retention`,
  );
  return {
    positions: new Map(found.map(({ partition, next_offset: next }) => [partition, BigInt(next)])),
    eventsFrom: found[0]?.events_from ?? null,
  };
}

/**
 * Returns the events whose ids were not applied before. The ids are inserted in sorted order, so that two partitions
 * cannot deadlock.
 */
async function filterFreshEvents(run: Run, events: readonly PositionedEvent[]): Promise<PositionedEvent[]> {
  const firsts = new Map<string, PositionedEvent>();
  for (const each of events) if (!firsts.has(each.event.id)) firsts.set(each.event.id, each);
  if (firsts.size === 0) return [];
  const sorted = [...firsts.values()].toSorted((a, b) => (a.event.id < b.event.id ? -1 : 1));
  const added = await run<{ id: string }>(
    sql`insert into jobledger.event_ids (id, time) select * from unnest(${sorted.map(({ event }) => event.id)}::text[], ${sorted.map(({ event }) => toTimestamp(event.time))}::timestamptz[]) on conflict (id) do nothing returning id`,
  );
  const ids = new Set(added.map(({ id }) => id));
  return [...firsts.values()].filter(({ event }) => ids.has(event.id));
}

async function applyEvents(
  run: Run,
  positioned: readonly PositionedEvent[],
  eventsFrom: string | null,
): Promise<void> {
  if (positioned.length === 0) return;
  const events = positioned.map(({ event }) => event);
  const isKept = ({ time }: { time: string }): boolean => eventsFrom === null || time >= eventsFrom;
  const own = eventRows(positioned);
  await insertRows(run, EVENTS, own.events.filter(isKept));
  await insertRows(run, CRON_JOB_EVENTS, own.cronJobEvents.filter(isKept));
  const rows = await projectStored(events, <Row>(table: Table<Row>, keys: readonly Key[]) =>
    run<Row>(selectByKey(table, keys)),
  );
  await visitTables(rows, ({ table, changed }) => insertRows(run, table, [...changed.values()]));
}

async function insertRows<Row>(run: Run, table: Table<Row>, rows: readonly Row[]): Promise<void> {
  if (rows.length > 0) await run(upsert(table, rows));
}

async function addDeadLetters(
  run: Run,
  topic: string,
  { partition, deadLetters }: RecordBatch,
): Promise<void> {
  const rows = deadLetters.map(({ record, reason }) => ({
    topic,
    partition,
    kafka_offset: record.offset.toString(),
    key: record.key.replaceAll('\u0000', '\uFFFD'),
    reason,
    bytes: record.value?.length ?? 0,
    found_at: new Date().toISOString(),
  }));
  await insertRows(run, DEAD_LETTERS, rows);
}
