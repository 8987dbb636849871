import type { Admin, ConfigResourceTypes, ConfigSource } from 'kafkajs';
import { InputError, JobledgerError, messageOf, UnavailableError } from '../errors.ts';
import { untilAvailable } from '../waiting/retry.ts';
import type { KafkaConnection } from './connection.ts';
import { kafkaRefusal } from './refusals.ts';
import { adviceOn, checkSettings, type ActualSetting, type SettingDeviation } from './settings-check.ts';
import { wantedTopics, type TopicSetting, type WantedTopic } from './topic-settings.ts';

/** Values of Kafka's protocol. Node cannot import the constants of kafkajs. */
const TOPIC: ConfigResourceTypes.TOPIC = 2;
const SET_ON_TOPIC: ConfigSource.TOPIC_CONFIG = 1;

/** A reader continues where a writer refuses to start. */
type Role = 'reader' | 'writer';

/**
 * Creates the missing topics, and corrects unsuitable settings of existing ones (topic-settings.ts). Waits for Kafka without
 * limit, and logs this. @throws InputError for a writer if Kafka would delete events that must be kept, and if Kafka or TLS
 * refuses us; UnavailableError when `signal` is aborted.
 */
export async function ensureTopics(
  connection: KafkaConnection,
  signal: AbortSignal,
  role: Role = 'reader',
): Promise<void> {
  const { config, log } = connection;
  const kafka = `Kafka at ${config.KAFKA_BROKERS.join(',')}`;
  try {
    await untilAvailable(kafka, { log, signal }, () =>
      createAndCheck(connection, role).catch((error: unknown) => {
        throw kafkaRefusal(error, config.KAFKA_BROKERS) ?? error;
      }),
    );
  } catch (cause) {
    if (cause instanceof JobledgerError) throw cause;
    throw new UnavailableError(`${kafka} does not answer`, { cause });
  }
}

async function createAndCheck(connection: KafkaConnection, role: Role): Promise<void> {
  const { kafka, topics, config } = connection;
  const admin = kafka.admin({ retry: { retries: 1 } });
  try {
    await admin.connect();
    const wanted = wantedTopics(topics, config);
    await createMissing(admin, wanted, config.JOBLEDGER_LEDGER_REPLICATION);
    const found = await admin.fetchTopicMetadata({ topics: wanted.map(({ topic }) => topic) });
    for (const { topic, settings } of wanted)
      await keepSettings(connection, admin, role, {
        topic,
        settings: settings(found.topics.find(({ name }) => name === topic)?.partitions[0]?.replicas.length),
      });
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function createMissing(
  admin: Admin,
  wanted: readonly WantedTopic[],
  replication: number,
): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = wanted.filter(({ topic }) => !existing.has(topic));
  if (missing.length === 0) return;
  const topics = missing.map(({ topic, partitions, settings }) => ({
    topic,
    numPartitions: partitions,
    replicationFactor: replication,
    configEntries: settings(replication > 0 ? replication : undefined)
      .filter(({ name, value }) => `${name}=${value}` !== 'min.insync.replicas=1')
      .map(({ name, value }) => entry(name, value)),
  }));
  await admin.createTopics({ topics, waitForLeaders: true }).catch(unlessThere);
}

/** @throws InputError when events would be lost with the settings of a topic that a writer needs. */
async function keepSettings(
  { config, log }: KafkaConnection,
  admin: Admin,
  role: Role,
  { topic, settings }: { topic: string; settings: readonly TopicSetting[] },
): Promise<void> {
  const now = await settingsOf(admin, topic).catch((error: unknown) => {
    log.warn({ topic, error: messageOf(error) }, 'the settings of this topic cannot be checked');
    return new Map<string, ActualSetting>();
  });
  const { toAlter, chosen } = checkSettings(settings, now);
  const refused = toAlter.length > 0 && !(await alter({ log }, admin, topic, { now, toAlter }));
  const left = [...(refused ? toAlter : []), ...chosen];
  if (left.length === 0) return;
  const advice = adviceOn(topic, config.KAFKA_BROKERS, left);
  if (role === 'writer' && left.some(({ isLoss }) => isLoss)) throw new InputError(advice);
  log.warn({ topic }, advice);
}

async function settingsOf(admin: Admin, topic: string): Promise<Map<string, ActualSetting>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: TOPIC, name: topic }],
  });
  return new Map(
    resources[0]?.configEntries.map(({ configName, configValue, configSource }) => [
      configName,
      { value: configValue, isOnTopic: configSource === SET_ON_TOPIC },
    ]),
  );
}

/** Returns false if the brokers refuse. Sends all other settings of the topic too, because Kafka replaces all of them. */
async function alter(
  { log }: Pick<KafkaConnection, 'log'>,
  admin: Admin,
  topic: string,
  { now, toAlter }: { now: ReadonlyMap<string, ActualSetting>; toAlter: readonly SettingDeviation[] },
): Promise<boolean> {
  const own = [...now].filter(([, { isOnTopic }]) => isOnTopic);
  const changes = Object.fromEntries(toAlter.map(({ name, value }) => [name, value]));
  const all = { ...Object.fromEntries(own.map(([name, { value }]) => [name, value])), ...changes };
  const configEntries = Object.entries(all).map(([name, value]) => entry(name, value));
  try {
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: TOPIC, name: topic, configEntries }],
    });
    log.info({ topic, settings: changes }, 'the settings of the topic were updated');
    return true;
  } catch (error) {
    log.warn({ topic, error: messageOf(error) }, 'Kafka refuses to change settings of the topic');
    return false;
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
