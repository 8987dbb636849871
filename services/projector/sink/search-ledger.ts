import type { Database } from '../../adapters/postgres/database.ts';
import { passesFilter, type MessageFilter } from './filter.ts';
import { jobMessage, type MessageType } from './message.ts';
import { readOccurrences } from './recorded.ts';
import { storeMessages } from './sink-messages.ts';
import {
  addMissingPositions,
  lockSpan,
  moveSinkPosition,
  partitionsBehind,
  type SinkKey,
} from './sink-positions.ts';

interface SearchDependencies {
  database: Database;
  key: SinkKey;
  types: readonly MessageType[];
  filter: MessageFilter;
  signal: AbortSignal;
}

/** The most records that a transaction searches. */
const RECORDS = 5000n;

/**
 * Searches the records that were applied to the tables after the last search, and stores a message about each
 * occurrence that the sink is configured for. Several processes share the partitions, and each process locks the
 * partition that it searches. @throws an error of Postgres.
 */
export async function searchLedger(dependencies: SearchDependencies): Promise<void> {
  const { database, key, signal } = dependencies;
  await addMissingPositions(database.run, key);
  const errors: unknown[] = [];
  for (const partition of await partitionsBehind(database.run, key))
    try {
      while (!signal.aborted && (await searchPartition(dependencies, partition)));
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}

/**
 * Searches some records of a partition; returns false when another process searches the partition, or no record is
 * left.
 */
async function searchPartition(
  { database, key, types, filter }: SearchDependencies,
  partition: number,
): Promise<boolean> {
  return database.transaction(async (run) => {
    const span = await lockSpan(run, key, partition);
    if (span === null) return false;
    const to = span.to < span.from + RECORDS ? span.to : span.from + RECORDS;
    const { found, end } = await readOccurrences(run, { ...span, to }, types);
    // The labels of a placed Job differ from the labels of its member.
    const wanted = found.filter((each) => each.mayBeMember || passesFilter(filter, jobMessage(each)));
    await storeMessages(run, key, { partition, found: wanted });
    await moveSinkPosition(run, key, { partition, next: end });
    return end < span.to;
  });
}
