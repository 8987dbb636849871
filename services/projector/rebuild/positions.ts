import { InputError } from '../../adapters/errors.ts';
import type { Extent, Offsets } from '../../adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../adapters/kafka/subscription.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';

/**
 * Checks that the topic has all records that were applied to the tables. @throws InputError when records are missing.
 */
export function checkReach(
  topic: string,
  { positions, begins }: { positions: Offsets; begins: Offsets },
  extents: ReadonlyMap<number, Extent>,
): void {
  if (positions.size === 0) {
    throw new InputError(`the tables contain no records of the ledger ${topic} yet: start a projector first`);
  }
  for (const [partition, position] of positions) {
    const { first, end } = extents.get(partition) ?? { first: 0n, end: 0n };
    const where = `partition ${partition} of the ledger ${topic}`;
    const begin = begins.get(partition) ?? 0n;
    if (first > begin && position > 0n) {
      throw new InputError(
        `${where} no longer begins at offset ${begin} but at ${first}: the rows of deleted records cannot be rebuilt`,
      );
    }
    if (end < position) {
      throw new InputError(
        `${where} ends at offset ${end}, but the tables are at ${position}: they were made from another ledger`,
      );
    }
  }
}

/** The records that the projector moved to the dead letters, as `partition/offset`. */
export type DeadLetterOffsets = ReadonlySet<string>;

export async function deadLetterOffsets(run: Run, topic: string): Promise<DeadLetterOffsets> {
  const rows = await run<{ partition: number; kafka_offset: string }>(
    sql`select partition, kafka_offset from jobledger.dead_letters where topic = ${topic}`,
  );
  return new Set(rows.map(({ partition, kafka_offset: offset }) => `${partition}/${offset}`));
}

export function isDeadLetter(deadLetters: DeadLetterOffsets, { partition, offset }: LedgerRecord): boolean {
  return deadLetters.size > 0 && deadLetters.has(`${partition}/${offset}`);
}

/** The number of records from the offsets in `begins` to the offsets in `offsets`. */
export function countOffsets(offsets: Offsets, begins: Offsets): number {
  const count = [...offsets].reduce(
    (sum, [partition, each]) => sum + each - (begins.get(partition) ?? 0n),
    0n,
  );
  return Number(count);
}
