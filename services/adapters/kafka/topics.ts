import type { Admin, ConfigResourceTypes, ConfigSource } from 'kafkajs';
import { InputError, messageOf } from '../errors.ts';
import type { KafkaConnection } from './connection.ts';

const MAX_MESSAGE_BYTES = String(4 * 1024 * 1024);
const RETRY_MS = 1000;

/** In Kafka's protocol. Node does not find the names that kafkajs has for them. */
const TOPIC: ConfigResourceTypes.TOPIC = 2;
const SET_ON_TOPIC: ConfigSource.TOPIC_CONFIG = 1;

/**
 * Who reads the live topic should find who is alive, not all that ever was: so segments are closed soon (the newest one is
 * never compacted), and little garbage is enough. Tombstones stay for a day: whoever was away hears of the dead, and Kafka
 * keeps the last batch of a producer for as long even when nothing is left in it. A segment that ends with such a batch is
 * where kafkajs stays for ever; so compaction must not empty one earlier, and segments hold what is alive in one piece.
 */
const LIVE_SETTINGS: Readonly<Record<string, string>> = {
  'cleanup.policy': 'compact',
  'segment.bytes': String(64 * 1024 * 1024),
  'segment.ms': '300000',
  'min.cleanable.dirty.ratio': '0.1',
  'max.compaction.lag.ms': '600000',
  'delete.retention.ms': '86400000',
};

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
 * A topic from before has other settings, and the brokers may refuse ours: it works all the same, only slower with time.
 * What else was set on the topic is sent along, because Kafka takes the whole for the new settings.
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
    log.info({ topic, settings: LIVE_SETTINGS }, 'the topic has the settings of this version now');
  } catch (error) {
    log.warn(
      { topic, settings: LIVE_SETTINGS, error: messageOf(error) },
      'Kafka does not take these settings of the topic: it is compacted late, and services start slower with time; set them with kafka-configs.sh, or allow this user to AlterConfigs',
    );
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
