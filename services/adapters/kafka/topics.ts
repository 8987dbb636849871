import type { UsedAdmin } from './client-library.ts';
import { InputError, JobledgerError, errorMessage, UnavailableError } from '../errors.ts';
import { pause } from '../waiting/pause.ts';
import { retryUntilAvailable } from '../waiting/retry.ts';
import { alterTopic, readTopicSettings } from './alter-topic.ts';
import { limitsAdvice, settingsOfBrokers } from './broker-limits.ts';
import type { KafkaConnection } from './connection.ts';
import { existingTopics } from './existing-topics.ts';
import { kafkaRefusal } from './refusals.ts';
import {
  fewestReplicas,
  replicationFault,
  chooseReplication,
  type Brokers,
  type ReplicatedTopic,
} from './replication.ts';
import { adviceOn, checkSettings, type ActualSetting } from './settings-check.ts';
import { settingsAtCreation, wantedTopics, type TopicSetting, type WantedTopic } from './topic-settings.ts';

/** A writer refuses to start with settings that lose events; a reader starts and logs an error. */
type Role = 'reader' | 'writer';

/** Settings can change while services run. */
const CHECK_EVERY_MS = 600_000;

/**
 * Creates the missing topics, and corrects unsuitable settings of existing ones (topic-settings.ts). Waits for Kafka
 * without limit, and logs the wait. @throws InputError for a writer if Kafka would lose events or keep unreadable
 * records, and if Kafka or TLS refuses us; UnavailableError when `signal` is aborted.
 */
export async function ensureTopics(
  connection: KafkaConnection,
  signal: AbortSignal,
  role: Role = 'reader',
): Promise<void> {
  const { config, log } = connection;
  const kafka = `Kafka at ${config.KAFKA_BROKERS.join(',')}`;
  try {
    await retryUntilAvailable(kafka, { log, signal }, () =>
      createAndCheck(connection, role).catch((error: unknown) => {
        throw kafkaRefusal(error, config.KAFKA_BROKERS) ?? error;
      }),
    );
  } catch (cause) {
    if (cause instanceof JobledgerError) throw cause;
    throw new UnavailableError(`${kafka} does not answer`, { cause });
  }
}

/**
 * Ensures the topics of a service, and checks them again every `everyMs` milliseconds until `signal` is aborted: the
 * check corrects or logs changes by other clients, and names missing topics. @throws like `ensureTopics`, at the start
 * only.
 */
export async function keepTopics(
  connection: KafkaConnection,
  { signal, role, everyMs = CHECK_EVERY_MS }: { signal: AbortSignal; role?: Role; everyMs?: number },
): Promise<void> {
  await ensureTopics(connection, signal, role);
  const checkAgain = async (): Promise<void> => {
    for (;;) {
      await pause(everyMs, signal);
      if (signal.aborted) return;
      await checkNow(connection).catch((error: unknown) =>
        connection.log.warn({ error: errorMessage(error) }, 'the settings of the topics cannot be checked'),
      );
    }
  };
  void checkAgain();
}

function createAndCheck(connection: KafkaConnection, role: Role): Promise<void> {
  return withAdmin(connection, async (admin) => {
    const wanted = wantedTopics(connection.topics, connection.config);
    await createMissing(admin, wanted, await describeBrokers(connection, admin));
    await checkTopics(connection, admin, role, wanted);
  });
}

function checkNow(connection: KafkaConnection): Promise<void> {
  return withAdmin(connection, async (admin) =>
    checkTopics(connection, admin, 'reader', await existingTopicsOf(connection, admin)),
  );
}

async function withAdmin<T>({ kafka }: KafkaConnection, work: (admin: UsedAdmin) => Promise<T>): Promise<T> {
  const admin = kafka.admin({ retry: { retries: 1 } });
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function describeBrokers({ config }: KafkaConnection, admin: UsedAdmin): Promise<Brokers> {
  const { brokers } = await admin.describeCluster();
  return {
    ids: brokers.map(({ nodeId }) => nodeId).toSorted((a, b) => a - b),
    addresses: config.KAFKA_BROKERS,
    configured: config.JOBLEDGER_LEDGER_REPLICATION,
  };
}

async function createMissing(
  admin: UsedAdmin,
  wanted: readonly WantedTopic[],
  brokers: Brokers,
): Promise<void> {
  const existing = await existingTopics(
    admin,
    wanted.map(({ topic }) => topic),
  );
  const missing = wanted.filter(({ topic }) => !existing.has(topic));
  if (missing.length === 0) return;
  const replicationFactor = chooseReplication(brokers);
  const topics = missing.map(({ topic, partitions, settings }) => ({
    topic,
    numPartitions: partitions,
    replicationFactor,
    configEntries: settingsAtCreation(settings(replicationFactor > 0 ? replicationFactor : undefined)),
  }));
  await admin.createTopics({ topics, waitForLeaders: true }).catch(ignoreExistingTopics);
}

/** Returns the wanted topics that exist; an error in the log names each missing topic. */
async function existingTopicsOf(
  { topics, config, log }: KafkaConnection,
  admin: UsedAdmin,
): Promise<WantedTopic[]> {
  const wanted = wantedTopics(topics, config);
  const existing = await existingTopics(
    admin,
    wanted.map(({ topic }) => topic),
  );
  for (const { topic } of wanted)
    if (!existing.has(topic))
      log.error({ topic }, 'the topic does not exist any more; restore it (docs/backup-and-disaster.md)');
  return wanted.filter(({ topic }) => existing.has(topic));
}

/**
 * Checks the existing topics.
 * @throws InputError for a writer if a topic in its present state would lose events or make them unreadable.
 */
async function checkTopics(
  connection: KafkaConnection,
  admin: UsedAdmin,
  role: Role,
  wanted: readonly WantedTopic[],
): Promise<void> {
  const found = await admin.fetchTopicMetadata({ topics: wanted.map(({ topic }) => topic) });
  const brokers = await describeBrokers(connection, admin);
  for (const { topic, settings } of wanted) {
    const partitions = found.topics.find(({ name }) => name === topic)?.partitions ?? [];
    checkReplication(connection, { topic, partitions }, brokers);
    await keepSettings(connection, admin, role, {
      topic,
      settings: settings(fewestReplicas(partitions)),
    });
  }
  await checkBrokers(connection, admin, brokers);
}

/** Logs the replication faults and refuses nothing, because a topic that the operator has created may have one replica. */
function checkReplication({ log }: KafkaConnection, topic: ReplicatedTopic, brokers: Brokers): void {
  const fault = replicationFault(topic, brokers);
  if (fault !== null) log[fault.isLoss ? 'error' : 'warn']({ topic: topic.topic }, fault.advice);
}

/**
 * Corrects or logs unsuitable settings of a topic.
 * @throws InputError for a writer if Kafka would lose events with these settings.
 */
async function keepSettings(
  { config, log }: KafkaConnection,
  admin: UsedAdmin,
  role: Role,
  { topic, settings }: { topic: string; settings: readonly TopicSetting[] },
): Promise<void> {
  const now = await readTopicSettings(admin, topic).catch((error: unknown) => {
    log.warn({ topic, error: errorMessage(error) }, 'the settings of this topic cannot be checked');
    return new Map<string, ActualSetting>();
  });
  const { toAlter, chosen } = checkSettings(settings, now);
  const refused = toAlter.length > 0 && !(await alterTopic({ log }, admin, topic, { now, toAlter }));
  const left = [...(refused ? toAlter : []), ...chosen];
  if (left.length === 0) return;
  const advice = adviceOn(topic, config.KAFKA_BROKERS, left);
  if (role === 'writer' && left.some(({ isLoss }) => isLoss)) throw new InputError(advice);
  log.warn({ topic }, advice);
}

async function checkBrokers(
  { config, log }: KafkaConnection,
  admin: UsedAdmin,
  { ids }: Brokers,
): Promise<void> {
  try {
    const advice = limitsAdvice(await settingsOfBrokers(admin, ids), config.KAFKA_BROKERS);
    if (advice !== null) log.warn(advice);
  } catch (error) {
    // The check needs the right DescribeConfigs on the cluster, which is optional.
    log.debug({ error: errorMessage(error) }, 'the limits of the brokers cannot be checked');
  }
}

/** Rethrows an error, unless another process has created the topics since the check. */
function ignoreExistingTopics(error: unknown): void {
  if (!errorMessage(error).includes('already exists') && !isTopicExistsError(error)) throw error;
}

function isTopicExistsError(error: unknown): boolean {
  return JSON.stringify(error, Object.getOwnPropertyNames(error ?? {})).includes('TOPIC_ALREADY_EXISTS');
}
