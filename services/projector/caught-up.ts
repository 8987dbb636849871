import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { readExtents } from '../adapters/kafka/scan.ts';
import type { Database } from '../adapters/postgres/database.ts';
import { appliedPositions } from '../read-model/state/positions.ts';

/** True when the tables have every event that the ledger has now. */
export async function hasCaughtUp(
  { run }: Pick<Database, 'run'>,
  connection: KafkaConnection,
): Promise<boolean> {
  const { ledger } = connection.topics;
  const extents = await readExtents(connection, ledger);
  const positions = await appliedPositions(run, ledger);
  return [...extents].every(
    ([partition, { first, end }]) => end === first || (positions.get(partition) ?? 0n) >= end,
  );
}
