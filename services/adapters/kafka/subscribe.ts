import { randomUUID } from 'node:crypto';
import { pause } from '../waiting/pause.ts';
import { logFailures, retry } from '../waiting/retry.ts';
import { toUndecodableError } from './codecs.ts';
import type { KafkaConnection } from './connection.ts';
import { createReading } from './reading.ts';
import type { SubscribeOptions, Subscription } from './subscription.ts';

const FETCH_BYTES = 4 * 1024 * 1024;

const SESSION_MS = 6000;

const RESTART_MS = 1000;

/**
 * Reads a topic until the reader is closed: each partition in order, each record at least once. The reader survives
 * every failure of Kafka.
 */
export async function subscribe(
  connection: KafkaConnection,
  options: SubscribeOptions,
): Promise<Subscription> {
  const { kafka, log, config } = connection;
  const groupId = options.groupId ?? `jobledger-reader-${randomUUID()}`;
  const consumer = kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    ...(config.JOBLEDGER_KAFKA_RACK !== undefined && { rackId: config.JOBLEDGER_KAFKA_RACK }),
    sessionTimeout: SESSION_MS,
    rebalanceTimeout: SESSION_MS,
    heartbeatInterval: 1500,
    maxWaitTimeInMs: 250,
    maxBytesPerPartition: options.fetchBytes ?? FETCH_BYTES,
    // Kafka may be down for long, and the reader waits for it.
    retry: {
      initialRetryTime: 200,
      maxRetryTime: 2000,
      retries: 5,
      restartOnFailure: () => Promise.resolve(true),
    },
  });
  const reading = createReading(consumer, log, options);
  /** The time since the last fetch. */
  let crashes = 0;
  consumer.on(consumer.events.FETCH, () => {
    crashes = 0;
    reading.fetched();
  });
  const assigned = new Promise<number[]>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      const partitions = payload.memberAssignment[options.topic] ?? [];
      reading.assign(partitions);
      resolve(partitions);
    });
  });
  const run = (): Promise<void> =>
    consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: options.concurrency ?? 1,
      eachBatch: reading.pass,
    });
  const closed = new AbortController();
  const runAgain = async (): Promise<void> => {
    await pause(RESTART_MS, closed.signal);
    if (closed.signal.aborted) return;
    const shouldRetry = (): boolean => true;
    await retry(() => consumer.connect().then(run), { signal: closed.signal, shouldRetry });
  };
  const logCrash = logFailures(log, 'the Kafka consumer crashed; restarting it', { topic: options.topic });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    crashes += 1;
    const unreadable = toUndecodableError(payload.error, connection, options.topic);
    if (isLoading(payload.error))
      log.info({ topic: options.topic }, 'Kafka is loading the group; trying again');
    else if (unreadable === undefined || options.onUndecodable === undefined)
      logCrash(unreadable ?? payload.error, crashes);
    else options.onUndecodable(unreadable);
    reading.assign([]);
    // kafkajs treats some temporary errors as final, such as a group coordinator that is not found yet.
    if (!payload.restart) void runAgain().catch(() => undefined);
  });
  await consumer.connect();
  await consumer.subscribe({ topic: options.topic, fromBeginning: true });
  await run();
  return {
    assigned,
    commit: reading.commit,
    seek: reading.seek,
    close: async () => {
      closed.abort();
      reading.end();
      await consumer.stop();
      await consumer.disconnect();
      if (options.groupId === undefined) await forgetGroup(kafka, groupId);
    },
  };
}

/** True while the group coordinator of Kafka is starting. */
export function isLoading(error: unknown): boolean {
  const { type } = (error instanceof Error ? (error.cause ?? error) : {}) as { type?: unknown };
  return type === 'GROUP_LOAD_IN_PROGRESS';
}

async function forgetGroup(kafka: KafkaConnection['kafka'], groupId: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.deleteGroups([groupId]);
  } catch {
    // If the deletion fails, Kafka deletes the empty group later.
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
