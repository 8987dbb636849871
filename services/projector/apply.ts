import { JobledgerError } from '../adapters/errors.ts';
import type { Database, Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { eventRow, type PositionedEvent } from './projections/events.ts';
import { timestampOf } from './projections/instants.ts';
import { keysOf, lastDecisionsOf, type Key, type Keys } from './projections/keys.ts';
import { project } from './projections/project.ts';
import { changedRows, eachTable, load, emptyRows, type Rows, type Staged } from './projections/rows.ts';
import type { ReadRecords } from './read-records.ts';
import { GAPS } from './tables/clusters.ts';
import { JOB_STATUSES } from './tables/job-statuses.ts';
import { CONDITIONS } from './tables/jobs.ts';
import { DEAD_LETTERS, EVENTS } from './tables/events.ts';
import { insertMissing, selectByKey, upsert, type Table } from './tables/table.ts';

/** Consecutive records of one partition, and the offset after the last of them. */
export interface RecordBatch extends ReadRecords {
  partition: number;
  next: bigint;
}

export interface AppliedLedger {
  database: Database;
  topic: string;
}

/** The next offset to apply in a partition. */
export async function positionOf({ database, topic }: AppliedLedger, partition: number): Promise<bigint> {
  const rows = await database.run<{ next_offset: string }>(
    sql`select next_offset from jobledger.positions where topic = ${topic} and partition = ${partition}`,
  );
  return BigInt(rows[0]?.next_offset ?? 0);
}

/** The next offset to apply, for every partition with applied records. */
export async function positionsOf({ database, topic }: AppliedLedger): Promise<Map<number, bigint>> {
  const rows = await database.run<{ partition: number; next_offset: string }>(
    sql`select partition, next_offset from jobledger.positions where topic = ${topic}`,
  );
  return new Map(rows.map(({ partition, next_offset: offset }) => [partition, BigInt(offset)]));
}

/**
 * Applies records and advances the position in one transaction. Skips what lies before the position, so two owners of
 * one partition leave the same rows. `known`: the position that the caller has seen last.
 */
export function apply({ database, topic }: AppliedLedger, batch: RecordBatch, known: bigint): Promise<void> {
  return database.transaction(async (run) => {
    const { position, eventsFrom } = await lockPosition(run, topic, batch.partition);
    if (position < known) throw wentBack(batch.partition, known, position);
    if (batch.next <= position) return;
    const events = batch.events.filter(({ offset }) => offset >= position);
    await applyEvents(run, await freshOf(run, events), eventsFrom);
    await addDeadLetters(run, topic, batch);
    await run(
      sql`update jobledger.positions set next_offset = ${batch.next.toString()}, applied_at = now() where topic = ${topic} and partition = ${batch.partition}`,
    );
  });
}

/** Applies an event and rolls it back. @throws what applying it would throw. */
export async function tryApply(database: Database, positioned: PositionedEvent): Promise<void> {
  const enough = new Error('rehearsed');
  const rehearsal = database.transaction(async (run) => {
    const [found] = await run<{ events_from: string | null }>(
      sql`select events_from from jobledger.retention`,
    );
    await applyEvents(run, [positioned], found?.events_from ?? null);
    throw enough;
  });
  await rehearsal.catch((error: unknown) => {
    if (error !== enough) throw error;
  });
}

function wentBack(partition: number, known: bigint, position: bigint): JobledgerError {
  return new JobledgerError(
    `the position of partition ${partition} in Postgres moved back from ${known} to ${position}: the database was emptied or restored; reading restarts there`,
  );
}

interface Begin {
  position: bigint;
  /** Earlier events are not kept. The row lock prevents that months are dropped during this transaction. */
  eventsFrom: string | null;
}

async function lockPosition(run: Run, topic: string, partition: number): Promise<Begin> {
  await run(
    sql`insert into jobledger.positions (topic, partition, next_offset, applied_at) values (${topic}, ${partition}, 0, now()) on conflict do nothing`,
  );
  const [found] = await run<{ next_offset: string; events_from: string | null }>(
    sql`select next_offset, events_from from jobledger.positions cross join jobledger.retention where topic = ${topic} and partition = ${partition} for update of positions for share of retention`,
  );
  return { position: BigInt(found?.next_offset ?? 0), eventsFrom: found?.events_from ?? null };
}

/** The events whose id was not applied before. Inserts ids in sorted order, so that two partitions cannot deadlock. */
async function freshOf(run: Run, events: readonly PositionedEvent[]): Promise<PositionedEvent[]> {
  const firsts = new Map<string, PositionedEvent>();
  for (const each of events) if (!firsts.has(each.event.id)) firsts.set(each.event.id, each);
  if (firsts.size === 0) return [];
  const sorted = [...firsts.values()].toSorted((a, b) => (a.event.id < b.event.id ? -1 : 1));
  const added = await run<{ id: string }>(
    sql`insert into jobledger.event_ids (id, time) select * from unnest(${sorted.map(({ event }) => event.id)}::text[], ${sorted.map(({ event }) => timestampOf(event.time))}::timestamptz[]) on conflict (id) do nothing returning id`,
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
  const kept = positioned.map(eventRow).filter(({ time }) => eventsFrom === null || time >= eventsFrom);
  await addMissing(run, EVENTS, kept);
  const rows = await rowsFor(run, keysOf(events));
  for (const event of events) project(rows, event);
  await writeRows(run, rows);
}

/** Tables that are only written, never read, by projections. */
const ADDED_ONLY: ReadonlySet<string> = new Set([CONDITIONS.name, JOB_STATUSES.name, GAPS.name]);

async function rowsFor(run: Run, keys: Keys): Promise<Rows> {
  const rows = emptyRows();
  await loadInto(run, rows.clusters, keys.clusters);
  await loadInto(run, rows.jobs, keys.jobs);
  await loadInto(run, rows.pods, keys.pods);
  await loadInto(run, rows.creations, keys.creations);
  await loadInto(run, rows.decisions, [...keys.decisions, ...lastDecisionsOf(rows.jobs.rows.values())]);
  await loadInto(run, rows.commands, keys.commands);
  return rows;
}

async function loadInto<Row>(run: Run, into: Staged<Row>, keys: Key[]): Promise<void> {
  if (keys.length > 0) load(into, await run<Row>(selectByKey(into.table, keys)));
}

/** Inserts rows of tables that were not loaded, unless they exist. */
function writeRows(run: Run, rows: Rows): Promise<void> {
  return eachTable(rows, async (staged) => {
    const changed = changedRows(staged);
    if (changed.length === 0) return;
    const isRead = !ADDED_ONLY.has(staged.table.name);
    await run(isRead ? upsert(staged.table, changed) : insertMissing(staged.table, changed));
  });
}

async function addMissing<Row>(run: Run, table: Table<Row>, rows: readonly Row[]): Promise<void> {
  if (rows.length > 0) await run(insertMissing(table, rows));
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
  await addMissing(run, DEAD_LETTERS, rows);
}
