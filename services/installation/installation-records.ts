import type { z } from 'zod';
import { errorMessage, UnavailableError } from '../adapters/errors.ts';
import { connectProducer } from '../adapters/kafka/producer.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { existingTopics } from '../adapters/kafka/existing-topics.ts';
import { scan } from '../adapters/kafka/scan.ts';
import { toKafkaError } from '../adapters/kafka/refusals.ts';
import { withTimeLimit } from '../adapters/waiting/within.ts';
import { ensureTopics } from '../adapters/kafka/topics.ts';

/**
 * The keys of the compacted topic `<ledger>.features`: the records of a whole installation, which survive the loss of every other
 * store. Versions ignore keys that they do not know.
 */
export type InstallationKey =
  | 'stamp'
  | 'finalized'
  | 'partitions'
  | 'horizon'
  | `override/${string}`
  | `silent/${string}`
  | `epoch/${string}`
  | `older/${string}`;

/** The newest value of each key. */
export type InstallationRecords = ReadonlyMap<string, string>;

/** The content of a record; null when the record is missing or does not match the schema. */
export function parseRecord<T>(value: string | undefined, schema: z.ZodType<T>): T | null {
  try {
    return schema.safeParse(JSON.parse(value ?? 'null')).data ?? null;
  } catch {
    return null;
  }
}

const LIMIT_MS = 10_000;
/** The time limit in milliseconds, because a broker may accept connections and never answer. */
const ANSWER_MS = 30_000;

/** Reads the records; the result is empty while the topic does not exist. @throws UnavailableError when Kafka does not answer. */
export async function readInstallationRecords(connection: KafkaConnection): Promise<InstallationRecords> {
  const records = new Map<string, string>();
  if (!(await hasInstallationTopic(connection))) return records;
  await scan(connection, connection.topics.features, ({ key, value }) => {
    records.set(key, String(value));
  });
  return records;
}

/**
 * Records a value, which services read within seconds. @throws UnavailableError when Kafka does not accept the value,
 * for example because the account may not write.
 */
export async function writeInstallationRecord(
  connection: KafkaConnection,
  key: InstallationKey,
  value: unknown,
): Promise<void> {
  await ensureTopics(connection, AbortSignal.timeout(LIMIT_MS));
  const topic = connection.topics.features;
  try {
    const producer = await connectProducer(connection.kafka);
    const messages = [{ key, value: JSON.stringify(value) }];
    try {
      await producer.send({ topic, messages });
    } finally {
      await producer.disconnect();
    }
  } catch (cause) {
    throw new UnavailableError(`Kafka does not accept the record for ${topic}: ${errorMessage(cause)}`, {
      cause,
    });
  }
}

/**
 * True when the topic exists.
 * @throws UnavailableError when Kafka does not answer, InputError when it refuses our credentials.
 */
export async function hasInstallationTopic({ kafka, topics, config }: KafkaConnection): Promise<boolean> {
  const checkTopic = async (): Promise<boolean> => {
    const admin = kafka.admin({ retry: { retries: 1 } });
    try {
      await admin.connect();
      return (await existingTopics(admin, [topics.features])).has(topics.features);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  };
  try {
    return await withTimeLimit(ANSWER_MS, checkTopic());
  } catch (error) {
    throw toKafkaError(error, config.KAFKA_BROKERS);
  }
}
