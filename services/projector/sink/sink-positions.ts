import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';

/** Identifies the positions and the waiting messages of a sink. */
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

/**
 * Adds the missing positions of a sink. A new sink begins with later events; in a partition that was empty at this
 * time, the sink begins with the first record. Existing rows are not inserted again, because the insert would wait for
 * the process that has locked them.
 */
export async function addMissingPositions(run: Run, { sink, topic }: SinkKey): Promise<void> {
  await run(
    sql`insert into jobledger.sink_positions (sink, topic, partition, next_offset)
      select ${sink}, topic, partition, case when exists (
          select from jobledger.sink_positions s where s.sink = ${sink} and s.topic = ${topic}
        ) then 0 else next_offset end
      from jobledger.positions p where topic = ${topic} and not exists (select from jobledger.sink_positions s
        where s.sink = ${sink} and s.topic = p.topic and s.partition = p.partition)
      on conflict do nothing`,
  );
}

/** The partitions with records that were not searched for the sink. */
export async function partitionsBehind(run: Run, { sink, topic }: SinkKey): Promise<number[]> {
  const rows = await run<{ partition: number }>(
    sql`select s.partition from jobledger.sink_positions s
      join jobledger.positions p on p.topic = s.topic and p.partition = s.partition
      where s.sink = ${sink} and s.topic = ${topic} and s.next_offset < p.next_offset
      order by s.partition`,
  );
  return rows.map(({ partition }) => partition);
}

/**
 * Locks a partition for the sink until the transaction ends; null when another process has locked the partition, or no
 * record is left.
 */
export async function lockSpan(
  run: Run,
  { sink, topic }: SinkKey,
  partition: number,
): Promise<SinkSpan | null> {
  const [row] = await run<{ from: string; to: string }>(
    sql`select s.next_offset as from, p.next_offset as to
      from jobledger.sink_positions s
      join jobledger.positions p on p.topic = s.topic and p.partition = s.partition
      where s.sink = ${sink} and s.topic = ${topic} and s.partition = ${partition}
        and s.next_offset < p.next_offset
      for update of s skip locked`,
  );
  return row === undefined ? null : { partition, from: BigInt(row.from), to: BigInt(row.to) };
}

/** Moves the position of the sink in a partition forward. */
export async function moveSinkPosition(
  run: Run,
  { sink, topic }: SinkKey,
  { partition, next }: { partition: number; next: bigint },
): Promise<void> {
  await run(
    sql`update jobledger.sink_positions set next_offset = ${next.toString()}
      where sink = ${sink} and topic = ${topic} and partition = ${partition}`,
  );
}
