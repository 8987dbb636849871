import { z } from 'zod';
import { InputError, errorMessage } from '../adapters/errors.ts';
import { SUPPORTED_LEVELS, type Levels } from '../adapters/events/feature-levels.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { readEnds, readExtents, scan } from '../adapters/kafka/scan.ts';
import { pause } from '../adapters/waiting/pause.ts';
import { logFailures, retry } from '../adapters/waiting/retry.ts';
import {
  hasInstallationTopic,
  readInstallationRecords,
  writeInstallationRecord,
  type InstallationRecords,
} from './installation-records.ts';
import { requirePartitions } from './ledger-partitions.ts';
import { stampLedger } from './stamp.ts';

/** The feature level of an installation, as this process last read it. */
export interface FeatureLevel {
  current(): number;
  /** All other records of the installation, read with the level. */
  records(): InstallationRecords;
}

export interface FeatureLevelOptions {
  signal: AbortSignal;
  /** Runs when the level is raised to a level that this version does not support, so that the process must stop. */
  onTooOld: (error: InputError) => void;
  supported?: Levels;
}

/** The level of a new installation, and of an installation whose record of its level is lost. */
const FIRST = 1;
const KEY = 'finalized';
const POLL_MS = 5000;
const VALUE = z.object({ level: z.number().int().min(FIRST) });

/**
 * Reads the installation's feature level and keeps it up to date. The function waits for Kafka without limit; the
 * ledger topic must exist. A new installation starts at the highest level that this version supports.
 * @throws InputError when this version cannot work at that level.
 */
export async function openFeatureLevel(
  connection: KafkaConnection,
  { signal, onTooOld, supported = SUPPORTED_LEVELS }: FeatureLevelOptions,
): Promise<FeatureLevel> {
  const onFailedAttempt = logFailures(
    connection.log,
    'the feature level cannot be read from Kafka; waiting for it',
  );
  let now = await retry(() => readOrInitialise(connection, supported), { signal, onFailedAttempt });
  requireSupported(now.level, supported);
  void watchFeatureLevel(connection, signal, (records) => {
    now = { level: recordedLevel(connection, records) ?? now.level, records };
    try {
      requireSupported(now.level, supported);
    } catch (error) {
      onTooOld(error as InputError);
    }
  });
  return { current: () => now.level, records: () => now.records };
}

/** The recorded level. @throws UnavailableError when Kafka does not answer. */
export async function readFeatureLevel(connection: KafkaConnection): Promise<number> {
  return recordedLevel(connection, await readInstallationRecords(connection)) ?? FIRST;
}

/** Records a level, which services read within seconds. */
export function recordFeatureLevel(connection: KafkaConnection, level: number): Promise<void> {
  return writeInstallationRecord(connection, KEY, { level });
}

/** Checks that this version supports a level. @throws InputError when it does not. */
function requireSupported(level: number, { min, max }: Levels): void {
  if (level > max)
    throw new InputError(
      `this installation is at feature level ${level}, but this version of Jobledger supports levels up to ${max} and cannot read its records; start a newer version`,
    );
  if (level < min)
    throw new InputError(
      `this installation is at feature level ${level}, but this version of Jobledger requires level ${min} or higher; first finish the upgrade with the previous version ("jobledger admin upgrade --finalize")`,
    );
}

/**
 * The recorded level, for a program that adds to the ledger. In a new installation, whose ledger is empty, the function
 * first records the level.
 * @throws UnavailableError when Kafka does not answer.
 */
export async function levelForWriting(connection: KafkaConnection): Promise<number> {
  return (await readOrInitialise(connection, SUPPORTED_LEVELS)).level;
}

/** Reads all records, and first records the level of a new installation. Several processes may record the same level. */
async function readOrInitialise(
  connection: KafkaConnection,
  { max }: Levels,
): Promise<{ level: number; records: InstallationRecords }> {
  const records = await readInstallationRecords(connection);
  await stampLedger(connection, records);
  await requirePartitions(connection, records);
  const recorded = recordedLevel(connection, records);
  if (recorded !== null) return { level: recorded, records };
  const extents = [...(await readExtents(connection, connection.topics.ledger)).values()];
  if (extents.some(({ end }) => end > 0n)) {
    // Another process may have recorded the level of a new installation, and then written the first record.
    const since = await readInstallationRecords(connection);
    return { level: recordedLevel(connection, since) ?? FIRST, records: since };
  }
  await recordFeatureLevel(connection, max);
  const level = await highestLevel(connection);
  // A newer version has begun the installation at the same moment, and its record precedes the record of this version.
  if (level > max) await recordFeatureLevel(connection, level);
  return { level, records };
}

/** The highest level of all records that the topic still has. */
async function highestLevel(connection: KafkaConnection): Promise<number> {
  const { features } = connection.topics;
  let highest = FIRST;
  await scan(connection, features, ({ key, value }) => {
    if (key === KEY) highest = Math.max(highest, levelIn(String(value), features));
  });
  return highest;
}

/** Returns null when no level was ever recorded. */
function recordedLevel({ topics }: KafkaConnection, records: InstallationRecords): number | null {
  const value = records.get(KEY);
  return value === undefined ? null : levelIn(value, topics.features);
}

function levelIn(value: string, topic: string): number {
  try {
    return VALUE.parse(JSON.parse(value)).level;
  } catch {
    throw new InputError(
      `the feature level in the topic ${topic} cannot be read; another program may have written to it`,
    );
  }
}

/** Polls the end offset of the topic, and reads the topic only when the offset has changed. */
async function watchFeatureLevel(
  connection: KafkaConnection,
  signal: AbortSignal,
  onChange: (records: InstallationRecords) => void,
): Promise<void> {
  const { features } = connection.topics;
  let known: bigint | null = null;
  let hasTopic = false;
  while (!signal.aborted) {
    try {
      hasTopic ||= await hasInstallationTopic(connection);
      const end = hasTopic ? ((await readEnds(connection, features)).get(0) ?? 0n) : 0n;
      if (end !== known) onChange(await readInstallationRecords(connection));
      known = end;
    } catch (error) {
      connection.log.debug({ error: errorMessage(error) }, 'the feature level is not known at present');
    }
    await pause(POLL_MS, signal);
  }
}
