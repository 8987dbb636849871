import { InputError } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { readExtents } from '../adapters/kafka/scan.ts';
import { writeInstallationRecord, type InstallationRecords } from './installation-records.ts';

const KEY = 'partitions';

/**
 * Requires the partition count with which the ledger began, which is recorded because the partition of a Job depends on
 * its key and the count. Partitions that another client adds to the topic later stay empty (docs/decisions/0047).
 * @throws InputError if the count of this process or of the topic does not match.
 */
export async function requirePartitions(
  connection: KafkaConnection,
  records: InstallationRecords,
): Promise<void> {
  const { config, topics, log } = connection;
  const configured = config.JOBLEDGER_LEDGER_PARTITIONS;
  const found = (await readExtents(connection, topics.ledger)).size;
  const text = records.get(KEY);
  const begun = text === undefined ? null : (JSON.parse(text) as { count: number }).count;
  const problem = partitionProblem({ topic: topics.ledger, configured, found, begun });
  if (problem !== null) throw new InputError(problem);
  if (begun === null) await writeInstallationRecord(connection, KEY, { count: configured });
  else if (found > begun)
    log.warn(
      { topic: topics.ledger, partitions: found, used: begun },
      'an operator added partitions to the ledger; they stay empty, and do no harm',
    );
}

/**
 * The problem of a partition count; null if the count is right. `begun` is the recorded count; null before it was
 * recorded. The function is exported for its test.
 */
export function partitionProblem({
  topic,
  configured,
  found,
  begun,
}: {
  topic: string;
  configured: number;
  found: number;
  begun: number | null;
}): string | null {
  if (begun !== null && configured !== begun)
    return `the ledger ${topic} has used ${begun} partitions from its beginning, but JOBLEDGER_LEDGER_PARTITIONS is ${configured}; with another count the events of a Job would be in two partitions and out of order: set the variable to ${begun}`;
  if (found < configured)
    return `the topic ${topic} has ${found} partitions, but JOBLEDGER_LEDGER_PARTITIONS is ${configured}; the count cannot change; set the variable to ${found}`;
  if (begun === null && found > configured)
    return `the topic ${topic} has ${found} partitions, but JOBLEDGER_LEDGER_PARTITIONS is ${configured}; the count cannot change; set the variable to the count with which the ledger began (${found}, unless an operator has added partitions since)`;
  return null;
}
