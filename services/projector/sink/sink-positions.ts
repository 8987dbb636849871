import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';

/** Identifies the positions of a sink. */
export interface SinkKey {
  sink: string;
  topic: string;
}

/** A partition of the ledger with records that were applied to the tables, but not yet searched for the sink. */
export interface SinkSpan {
  partition: number;
  /** Inclusive. */
  from: bigint;
  /** Exclusive. */
  to: bigint;
}

/** A new sink begins with what happens from now on; a partition that was empty then, with its first record. */
export async function beginAtEnds(run: Run, { sink, topic }: SinkKey): Promise<void> {
  await run(
    sql`insert into jobledger.sink_positions (sink, topic, partition, next_offset)
      select ${sink}, topic, partition, case when exists (
          select from jobledger.sink_positions s where s.sink = ${sink} and s.topic = ${topic}
        ) then 0 else next_offset end
      from jobledger.positions where topic = ${topic}
      on conflict do nothing`,
  );
}

/** A record whose messages wait, or one of them, and since when, by the clock of Postgres in milliseconds. */
export interface Aside {
  offset: string;
  since: number;
  /** Of its Job, as `<cluster>/<namespace>`. */
  namespace: string;
  /** Of a message that failed: its id, how often it failed while it waits, and when the next attempt is due. */
  failed?: { message: string; tries: number; dueAt: number };
}

/** A span, and the records before it whose messages wait, in the order of the ledger. */
export interface LockedSpan extends SinkSpan {
  aside: readonly Aside[];
  /** By the clock of Postgres, in milliseconds. */
  now: number;
}

/** The partitions in which the sink is behind, or messages that wait are due. */
export async function partitionsBehind(run: Run, { sink, topic }: SinkKey): Promise<number[]> {
  const rows = await run<{ partition: number }>(
    sql`select s.partition from jobledger.sink_positions s
      join jobledger.positions p on p.topic = s.topic and p.partition = s.partition
      where s.sink = ${sink} and s.topic = ${topic} and (s.next_offset < p.next_offset or exists (
        select from jsonb_array_elements(s.aside) a
        where coalesce((a -> 'failed' ->> 'dueAt')::double precision, 0) <= extract(epoch from now()) * 1000))
      order by s.partition`,
  );
  return rows.map(({ partition }) => partition);
}

/**
 * Locks a partition for the sink until the transaction ends; null when another process has it, or no record is left.
 */
export async function lockedSpan(
  run: Run,
  { sink, topic }: SinkKey,
  partition: number,
): Promise<LockedSpan | null> {
  const [row] = await run<{ from: string; to: string; aside: Aside[]; now: number }>(
    sql`select s.next_offset as from, p.next_offset as to, s.aside,
        (extract(epoch from now()) * 1000)::double precision as now
      from jobledger.sink_positions s
      join jobledger.positions p on p.topic = s.topic and p.partition = s.partition
      where s.sink = ${sink} and s.topic = ${topic} and s.partition = ${partition}
        and (s.next_offset < p.next_offset or s.aside <> '[]')
      for update of s skip locked`,
  );
  if (row === undefined) return null;
  return { ...row, partition, from: BigInt(row.from), to: BigInt(row.to) };
}

/** Moves the sink forward. `isDelivered`: a message was delivered, not only searched for. */
export async function moveSink(
  run: Run,
  { sink, topic }: SinkKey,
  {
    partition,
    next,
    aside,
    isDelivered,
  }: { partition: number; next: bigint; aside: readonly Aside[]; isDelivered: boolean },
): Promise<void> {
  await run(
    sql`update jobledger.sink_positions set next_offset = ${next.toString()}, aside = ${JSON.stringify(aside)}::jsonb,
        delivered_at = case when ${isDelivered} then now() else delivered_at end
      where sink = ${sink} and topic = ${topic} and partition = ${partition}`,
  );
}
