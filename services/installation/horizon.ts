import { z } from 'zod';
import { InputError } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import {
  readInstallationRecords,
  writeInstallationRecord,
  type InstallationRecords,
} from './installation-records.ts';

const KEY = 'horizon';
const VALUE = z.object({ endedBefore: z.iso.datetime() });

/**
 * The instant before which ended Jobs are removed from the tables; null without a horizon. The record is in Kafka, so
 * that it outlives the tables.
 */
export function horizonIn(records: InstallationRecords): string | null {
  const text = records.get(KEY);
  if (text === undefined) return null;
  try {
    return VALUE.parse(JSON.parse(text)).endedBefore;
  } catch {
    throw new InputError(`the recorded horizon cannot be read: ${text}; another program may have written it`);
  }
}

/** Records a horizon, unless a later horizon is recorded. Returns the valid horizon. */
export async function recordHorizon(connection: KafkaConnection, endedBefore: string): Promise<string> {
  const recorded = horizonIn(await readInstallationRecords(connection));
  if (recorded !== null && recorded >= endedBefore) return recorded;
  await writeInstallationRecord(connection, KEY, { endedBefore });
  return endedBefore;
}
