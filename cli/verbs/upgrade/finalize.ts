import { SUPPORTED_LEVELS, type Levels } from '../../../services/adapters/events/feature-levels.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { NewerRecordError } from '../../../services/adapters/events/unreadable-record.ts';
import { readEvent } from '../../../services/adapters/events/event-codec.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { readFeatureLevel, recordFeatureLevel } from '../../../services/installation/feature-level.ts';
import { readEnds, readBetween, type Offsets } from '../../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';

export interface Finalized {
  before: number;
  level: number;
}

/**
 * Raises the feature level to the highest level that this version supports. `positions` has the positions of the projector. @throws InputError if a
 * reader has stopped, or if the feature level is above those of this version.
 */
export async function finalize(
  connection: KafkaConnection,
  positions: Offsets,
  { max }: Levels = SUPPORTED_LEVELS,
): Promise<Finalized> {
  const before = await readFeatureLevel(connection);
  if (before > max)
    throw new InputError(
      `this installation is at feature level ${before}, and this version of Jobledger supports levels up to ${max}: finish the upgrade with the newer version`,
    );
  if (before === max) return { before, level: before };
  const stopped = await unreadableNextRecords(connection, positions);
  if (stopped.length > 0)
    throw new InputError(
      `readers have stopped at records of a newer version: finish the upgrade with the newer version\n  ${stopped.join('\n  ')}`,
    );
  await recordFeatureLevel(connection, max);
  return { before, level: max };
}

/** The next record of each partition that this version cannot read, with the reason. */
async function unreadableNextRecords(connection: KafkaConnection, positions: Offsets): Promise<string[]> {
  const { ledger } = connection.topics;
  const ends = await readEnds(connection, ledger);
  const behind = [...positions].filter(([partition, position]) => position < (ends.get(partition) ?? 0n));
  const stopped: string[] = [];
  const to = new Map(behind.map(([partition, position]) => [partition, position + 1n]));
  await readBetween(connection, ledger, { from: new Map(behind), to }, (records) => {
    for (const record of records) stopped.push(...newerRecord(record));
    return Promise.resolve();
  });
  return stopped;
}

/** The reason why this version cannot read a record; empty if it can. */
function newerRecord(record: LedgerRecord): string[] {
  try {
    readEvent(record);
    return [];
  } catch (error) {
    if (error instanceof NewerRecordError) return [error.message];
    throw error;
  }
}
