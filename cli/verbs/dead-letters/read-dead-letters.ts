import type { Run } from '../../../services/adapters/postgres/database.ts';
import { sql } from '../../../services/adapters/postgres/statement.ts';

/** A row of the dead-letters table. */
export interface DeadLetterEntry {
  partition: number;
  kafka_offset: string;
  key: string;
  reason: string;
  found_at: string;
  brought_back_at: string | null;
}

/** Selects one record; absent: all. */
export interface DeadLetterPosition {
  readonly partition?: number;
  readonly offset?: string;
}

/** Dead letters in the order in which they were found. */
export function readDeadLetters(
  run: Run,
  topic: string,
  { partition, offset }: DeadLetterPosition,
): Promise<DeadLetterEntry[]> {
  return run<DeadLetterEntry>(
    sql`select partition, kafka_offset, key, reason, found_at, brought_back_at from jobledger.dead_letters
      where topic = ${topic} and partition = coalesce(${partition ?? null}::integer, partition)
        and kafka_offset = coalesce(${offset ?? null}::bigint, kafka_offset)
      order by found_at, partition, kafka_offset`,
  );
}

export async function markBroughtBack(run: Run, topic: string, letter: DeadLetterEntry): Promise<void> {
  await run(
    sql`update jobledger.dead_letters set brought_back_at = now()
      where topic = ${topic} and partition = ${letter.partition} and kafka_offset = ${letter.kafka_offset}`,
  );
}
