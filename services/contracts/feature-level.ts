import { z } from 'zod';
import { InputError, messageOf } from '../adapters/errors.ts';
import { SUPPORTED_LEVELS, type Levels } from '../adapters/feature-levels.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { connectProducer } from '../adapters/kafka/producer.ts';
import { endsOf, extentsOf, scan } from '../adapters/kafka/scan.ts';
import { pause } from '../adapters/pause.ts';
import { logFailures, retry } from '../adapters/retry.ts';

/** The feature level of an installation, as this process last read it. */
export interface FeatureLevel {
  current(): number;
}

export interface FeatureLevelOptions {
  signal: AbortSignal;
  /** Called when the level is raised to one that this version does not support: the process must stop. */
  onTooOld: (error: InputError) => void;
  supported?: Levels;
}

/** The level of an installation from before levels were recorded. */
const FIRST = 1;
const KEY = 'finalized';
const LOOK_MS = 5000;
const VALUE = z.object({ level: z.number().int().min(FIRST) });

/**
 * Reads the installation's feature level and keeps it up to date. Waits for Kafka without limit; the ledger topic must
 * exist. A new installation starts at the highest level that this version supports.
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
  let level = await retry(() => readOrInitialise(connection, supported), { signal, onFailedAttempt });
  requireSupported(level, supported);
  void watch(connection, signal, (raised) => {
    level = raised;
    try {
      requireSupported(level, supported);
    } catch (error) {
      onTooOld(error as InputError);
    }
  });
  return { current: () => level };
}

/** The recorded level. @throws UnavailableError when Kafka does not answer. */
export async function readFeatureLevel(connection: KafkaConnection): Promise<number> {
  return (await recorded(connection)) ?? FIRST;
}

/** Records a level; services notice within seconds. */
export async function recordFeatureLevel(connection: KafkaConnection, level: number): Promise<void> {
  await createTopic(connection);
  const producer = await connectProducer(connection.kafka);
  try {
    const messages = [{ key: KEY, value: JSON.stringify({ level }) }];
    await producer.send({ topic: connection.topics.features, messages });
  } finally {
    await producer.disconnect();
  }
}

function requireSupported(level: number, { min, max }: Levels): void {
  if (level > max)
    throw new InputError(
      `this installation is at feature level ${level}, this version of Jobledger supports levels up to ${max} and cannot read what is written; start a newer version`,
    );
  if (level < min)
    throw new InputError(
      `this installation is at feature level ${level}, this version of Jobledger requires level ${min} or higher; finish the upgrade with the version before it first ("jobledger upgrade --finalize")`,
    );
}

/** Returns the recorded level, or records one. Several processes of a new installation may record the same level. */
async function readOrInitialise(connection: KafkaConnection, { max }: Levels): Promise<number> {
  const level = await recorded(connection);
  if (level !== null) return level;
  const extents = [...(await extentsOf(connection, connection.topics.ledger)).values()];
  if (extents.some(({ end }) => end > 0n)) return FIRST;
  await recordFeatureLevel(connection, max);
  return max;
}

/** Returns null when no level was ever recorded. */
async function recorded(connection: KafkaConnection): Promise<number | null> {
  const { features } = connection.topics;
  if (!(await topicExists(connection))) return null;
  let level: number | null = null;
  await scan(connection, features, ({ key, value }) => {
    if (key === KEY) level = levelIn(value, features);
  });
  return level;
}

function levelIn(value: Buffer | null, topic: string): number {
  try {
    return VALUE.parse(JSON.parse(String(value))).level;
  } catch {
    throw new InputError(
      `the feature level in the topic ${topic} cannot be read; another program may have written to it`,
    );
  }
}

async function topicExists({ kafka, topics }: KafkaConnection): Promise<boolean> {
  const admin = kafka.admin({ retry: { retries: 1 } });
  try {
    await admin.connect();
    return (await admin.listTopics()).includes(topics.features);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function createTopic({ kafka, topics, config }: KafkaConnection): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    if ((await admin.listTopics()).includes(topics.features)) return;
    await admin.createTopics({
      waitForLeaders: true,
      topics: [
        {
          topic: topics.features,
          numPartitions: 1,
          replicationFactor: config.JOBLEDGER_LEDGER_REPLICATION,
          configEntries: [{ name: 'cleanup.policy', value: 'compact' }],
        },
      ],
    });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!(await admin.listTopics()).includes(topics.features)) throw error;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** Polls the end offset of the topic, and reads it only when the offset has changed. */
async function watch(
  connection: KafkaConnection,
  signal: AbortSignal,
  onChange: (level: number) => void,
): Promise<void> {
  const { features } = connection.topics;
  let known: bigint | null = null;
  let level: number | null = null;
  let hasTopic = false;
  while (!signal.aborted) {
    try {
      hasTopic ||= await topicExists(connection);
      const end = hasTopic ? ((await endsOf(connection, features)).get(0) ?? 0n) : 0n;
      const read: number | null = end === known ? level : await recorded(connection);
      if (read !== null && read !== level) onChange(read);
      [known, level] = [end, read];
    } catch (error) {
      connection.log.debug({ error: messageOf(error) }, 'the feature level is not known now');
    }
    await pause(LOOK_MS, signal);
  }
}
