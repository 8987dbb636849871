import type { Admin, ConfigResourceTypes, ConfigSource } from 'kafkajs';
import { InputError, JobledgerError, messageOf, UnavailableError } from '../errors.ts';
import { untilAvailable } from '../retry.ts';
import type { KafkaConnection } from './connection.ts';

const MAX_MESSAGE_BYTES = String(4 * 1024 * 1024);

/** Values of Kafka's protocol. Node cannot import the constants of kafkajs. */
const TOPIC: ConfigResourceTypes.TOPIC = 2;
const SET_ON_TOPIC: ConfigSource.TOPIC_CONFIG = 1;

/**
 * Settings of the live topic. An entry contains the Job's selector, which may be as large as the Job. A reader should
 * mostly find what is alive, so segments are closed early (the newest one is never compacted) and a small share of
 * garbage triggers compaction. Tombstones stay for a day, so that a reader that was down sees the deletions. Kafka keeps
 * the last batch of a producer for as long, even when it is empty, and kafkajs gets stuck at a segment that ends with such
 * a batch. So compaction must not empty a segment earlier, and segments are large enough to hold everything alive.
 */
const LIVE_SETTINGS: Readonly<Record<string, string>> = {
  'cleanup.policy': 'compact',
  'max.message.bytes': MAX_MESSAGE_BYTES,
  'segment.bytes': String(64 * 1024 * 1024),
  'segment.ms': '300000',
  'min.cleanable.dirty.ratio': '0.1',
  'max.compaction.lag.ms': '600000',
  'delete.retention.ms': '86400000',
};

/**
 * Creates the missing topics. Waits for Kafka without limit, and logs that it does.
 * @throws InputError when the ledger exists with another partition count, because keys would move; UnavailableError when
 * `signal` is aborted.
 */
export async function ensureTopics(connection: KafkaConnection, signal: AbortSignal): Promise<void> {
  const { config, log } = connection;
  const kafka = `Kafka at ${config.KAFKA_BROKERS.join(',')}`;
  try {
    await untilAvailable(kafka, { log, signal }, () => createMissing(connection));
  } catch (cause) {
    if (cause instanceof JobledgerError) throw cause;
    throw new UnavailableError(`${kafka} does not answer`, { cause });
  }
}

async function createMissing({ kafka, topics, config, log }: KafkaConnection): Promise<void> {
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
        configEntries: Object.entries(LIVE_SETTINGS).map(([name, value]) => entry(name, value)),
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
    if (existing.has(topics.live)) await keepLiveSettings(admin, topics.live, log);
    await requirePartitions(admin, topics.ledger, config.JOBLEDGER_LEDGER_PARTITIONS);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/**
 * Updates the settings of an existing live topic. When the brokers refuse, everything works, but gets slower with time.
 * Other settings of the topic are sent along, because Kafka replaces all of them.
 */
async function keepLiveSettings(admin: Admin, topic: string, log: KafkaConnection['log']): Promise<void> {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: TOPIC, name: topic }],
    });
    const now = resources[0]?.configEntries ?? [];
    const isOther = ([name, value]: [string, string]): boolean =>
      now.find(({ configName }) => configName === name)?.configValue !== value;
    if (!Object.entries(LIVE_SETTINGS).some(isOther)) return;
    const own = now.filter(({ configSource }) => configSource === SET_ON_TOPIC);
    const settings = {
      ...Object.fromEntries(own.map((each) => [each.configName, each.configValue])),
      ...LIVE_SETTINGS,
    };
    const configEntries = Object.entries(settings).map(([name, value]) => entry(name, value));
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: TOPIC, name: topic, configEntries }],
    });
    log.info({ topic, settings: LIVE_SETTINGS }, 'the settings of the topic were updated');
  } catch (error) {
    log.warn(
      { topic, settings: LIVE_SETTINGS, error: messageOf(error) },
      'Kafka refuses these settings of the topic: it is compacted late, so that services start more slowly with time, and may not take a Job with a large selector, which stops its cluster’s ingester; set them with kafka-configs.sh, or allow this user to AlterConfigs',
    );
  }
}

function entry(name: string, value: string): { name: string; value: string } {
  return { name, value };
}

/** Another process may have created them in the meantime. */
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
      `the topic ${topic} has ${found} partitions, but JOBLEDGER_LEDGER_PARTITIONS is ${wanted}; the count cannot change, set the variable to ${found}`,
    );
  }
}
