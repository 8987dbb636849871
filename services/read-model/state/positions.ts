import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';

/**
 * The tables' positions in a topic: for each partition, in order, the offset after the last applied record. All earlier
 * records are visible in the tables.
 */
export async function appliedPositions(run: Run, topic: string): Promise<Map<number, bigint>> {
  const rows = await run<{ partition: number; next_offset: string }>(
    sql`select partition, next_offset from jobledger.positions where topic = ${topic} order by partition`,
  );
  return new Map(rows.map(({ partition, next_offset: next }) => [partition, BigInt(next)]));
}

/** The offset of the first record that was applied, by partition. */
export async function firstAppliedOffsets(run: Run, topic: string): Promise<Map<number, bigint>> {
  const rows = await run<{ partition: number; begins_at: string }>(
    sql`select partition, begins_at from jobledger.positions where topic = ${topic}`,
  );
  return new Map(rows.map(({ partition, begins_at: begin }) => [partition, BigInt(begin)]));
}
