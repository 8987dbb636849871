import { InputError, messageOf } from '../errors.ts';
import type { KafkaConnection } from './connection.ts';

const MAX_MESSAGE_BYTES = String(4 * 1024 * 1024);
const RETRY_MS = 1000;

/**
 * Creates the topics that are missing, waiting for Kafka as long as it takes (it says so in the log).
 * @throws InputError when the ledger exists with another partition count: the keys would move.
 */
export async function ensureTopics(connection: KafkaConnection, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      await createMissing(connection);
      return;
    } catch (error) {
      if (error instanceof InputError) throw error;
      const log = attempt % 5 === 0 ? 'warn' : 'debug';
      connection.log[log](
        { brokers: connection.config.KAFKA_BROKERS, error: messageOf(error) },
        'Kafka does not answer; waiting for it',
      );
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function createMissing({ kafka, topics, config }: KafkaConnection): Promise<void> {
  const admin = kafka.admin({ retry: { retries: 1 } });
  try {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    const shared = {
      numPartitions: config.JOBLEDGER_LEDGER_PARTITIONS,
      replicationFactor: config.JOBLEDGER_LEDGER_REPLICATION,
    };
    const retention = String(config.JOBLEDGER_LEDGER_RETENTION_MS);
    const wanted = [
      {
        ...shared,
        topic: topics.ledger,
        configEntries: [entry('retention.ms', retention), entry('max.message.bytes', MAX_MESSAGE_BYTES)],
      },
      {
        ...shared,
        topic: topics.live,
        numPartitions: 1,
        configEntries: [entry('cleanup.policy', 'compact')],
      },
      {
        ...shared,
        topic: topics.deadLetters,
        numPartitions: 1,
        configEntries: [entry('retention.ms', '-1'), entry('max.message.bytes', MAX_MESSAGE_BYTES)],
      },
    ].filter((topic) => !existing.has(topic.topic));
    if (wanted.length > 0)
      await admin.createTopics({ topics: wanted, waitForLeaders: true }).catch(unlessThere);
    await requirePartitions(admin, topics.ledger, config.JOBLEDGER_LEDGER_PARTITIONS);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

function entry(name: string, value: string): { name: string; value: string } {
  return { name, value };
}

/** Another process may have created them at the same moment. */
function unlessThere(error: unknown): void {
  if (!messageOf(error).includes('already exists') && !isExists(error)) throw error;
}

function isExists(error: unknown): boolean {
  return JSON.stringify(error, Object.getOwnPropertyNames(error ?? {})).includes('TOPIC_ALREADY_EXISTS');
}

async function requirePartitions(
  admin: { fetchTopicMetadata(o: { topics: string[] }): Promise<{ topics: { partitions: unknown[] }[] }> },
  topic: string,
  wanted: number,
): Promise<void> {
  const found = (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0]?.partitions.length ?? 0;
  if (found !== wanted) {
    throw new InputError(
      `the topic ${topic} has ${found} partitions, JOBLEDGER_LEDGER_PARTITIONS says ${wanted}; the count never changes, set the variable to ${found}`,
    );
  }
}
