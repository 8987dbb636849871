import { randomUUID } from 'node:crypto';
import { setImmediate as macrotask } from 'node:timers/promises';
import type { EachBatchPayload, IHeaders } from 'kafkajs';
import { NewerRecordError } from '../events/event-codec.ts';
import { pause } from '../waiting/pause.ts';
import { logFailures, retry } from '../waiting/retry.ts';
import type { UsedConsumer } from './client-library.ts';
import { toUndecodableError, type UndecodableError } from './codecs.ts';
import { createLinger } from './linger.ts';
import type { KafkaConnection } from './connection.ts';

/** One record of a partition. */
export interface LedgerRecord {
  partition: number;
  offset: bigint;
  key: string;
  value: Buffer | null;
  /** The headers; absent if the record has none. */
  headers?: Readonly<Record<string, string>>;
}

export interface Batch {
  partition: number;
  records: LedgerRecord[];
  /** The offset after the newest record of the partition when the batch was fetched. */
  end: bigint;
  /** Sends a heartbeat. The caller uses this function during long work, so that the group does not remove this member. */
  heartbeat(): Promise<void>;
  /** True after a rebalance or a stop request, when the rest of the batch must not be processed. */
  isStale(): boolean;
  /**
   * The offset at which to continue in this partition, if it is not the offset after this batch; null to stop reading
   * the partition.
   */
  continueAt(offset: bigint | null): void;
}

export interface Subscription {
  /**
   * Commits offsets for the group. Calls `due` right before the request and commits the returned offsets, limited to
   * partitions that this member reads: Kafka accepts an offset of any partition from any member, so offsets of an
   * earlier assignment must not be sent. Returns the offsets that Kafka acknowledged. @throws when the commit failed or
   * may have failed.
   */
  commit(due: () => ReadonlyMap<number, bigint>): Promise<ReadonlyMap<number, bigint>>;
  /** Continues at another offset of a partition, if this member reads it. The batch in progress becomes stale. */
  seek(partition: number, offset: bigint): void;
  close(): Promise<void>;
  /** Resolves at the first assignment, with the partitions. */
  readonly assigned: Promise<number[]>;
}

export interface SubscribeOptions {
  topic: string;
  /** The name of the group, whose members share the partitions; absent for a temporary group, which is deleted at close. */
  groupId?: string;
  /**
   * Returns the next offset to read in a partition, as the caller stores it; null to leave this partition unread.
   * The reader calls this function after each assignment, concurrently with reading. The function may be slow, because
   * heartbeats and the other partitions continue. When `isStale` is true, the result is ignored. The function is called
   * again after it throws.
   */
  readPosition: (partition: number, isStale: () => boolean) => Promise<bigint | null>;
  /**
   * When this function throws, the position stays and the batch is delivered again. A NewerRecordError stops the partition until
   * its next assignment.
   */
  onBatch: (batch: Batch) => Promise<void>;
  /** Receives all partitions that are assigned to this member; the list is empty after a failure that ended the membership. */
  onAssigned?: (partitions: number[]) => void;
  onStopped?: (partition: number, error: NewerRecordError) => void;
  /**
   * Receives the error when a record batch has a codec that this version does not have. No partition can be read then,
   * and the reader tries again. By default, the error is logged.
   */
  onUndecodable?: (error: UndecodableError) => void;
  /** The maximum bytes of a fetch for each partition. Kafka returns one record batch even if it is larger. */
  fetchBytes?: number;
  /** The time to wait between two fetches under load, in milliseconds; 0 by default. */
  lingerMs?: number;
  /** The number of partitions that call `onBatch` at the same time; 1 by default. */
  concurrency?: number;
}

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

interface Reading extends Pick<Subscription, 'commit' | 'seek'> {
  assign(partitions: number[]): void;
  /** Notes a fetch before its batches are passed on. */
  fetched(): void;
  pass(payload: EachBatchPayload): Promise<void>;
  end(): void;
}

/** One assignment of partitions to this member of the group. */
interface CurrentAssignment {
  /** Partitions whose position is known. */
  readable: Set<number>;
  /** The controller that is aborted at the next assignment, or when the reading ends. */
  over: AbortController;
}

/** Creates the state of one member of the group. */
function createReading(
  consumer: UsedConsumer,
  log: KafkaConnection['log'],
  options: SubscribeOptions,
): Reading {
  const { topic } = options;
  let current: CurrentAssignment = { readable: new Set(), over: new AbortController() };
  const replaceAssignment = (): CurrentAssignment => {
    current.over.abort();
    return (current = { readable: new Set(), over: new AbortController() });
  };
  /**
   * kafkajs' own commit retries, even after a rebalance. This function sends once, in the group generation at the
   * time of the call.
   */
  let commitOnce: EachBatchPayload['commitOffsetsIfNecessary'] | undefined;

  const beginPartition = async (
    partition: number,
    { readable, over: { signal } }: CurrentAssignment,
  ): Promise<void> => {
    const isStale = (): boolean => signal.aborted;
    const attempt = async (): Promise<void> => {
      const position = await options.readPosition(partition, isStale);
      if (position === null || isStale()) return;
      consumer.seek({ topic, partition, offset: position.toString() });
      consumer.resume([{ topic, partitions: [partition] }]);
      readable.add(partition);
    };
    const message = 'the position of this partition is not known yet; trying again';
    const onFailedAttempt = logFailures(log, message, { topic, partition });
    await retry(attempt, { signal, shouldRetry: () => true, onFailedAttempt }).catch(() => undefined);
  };
  const linger = createLinger(options.lingerMs ?? 0);
  let isFirstOfFetch = false;
  /** Returns the function that continues at another offset of a partition, or with null stops reading it. */
  const moveTo =
    (partition: number): Batch['continueAt'] =>
    (offset) => {
      if (offset === null) consumer.pause([{ topic, partitions: [partition] }]);
      else consumer.seek({ topic, partition, offset: offset.toString() });
    };
  return {
    assign(partitions) {
      const assignment = replaceAssignment();
      if (partitions.length > 0) consumer.pause([{ topic, partitions }]);
      options.onAssigned?.(partitions);
      for (const partition of partitions) void beginPartition(partition, assignment);
    },
    fetched: () => void (isFirstOfFetch = true),
    async pass(payload) {
      const { partition } = payload.batch;
      const isFirst = isFirstOfFetch;
      isFirstOfFetch = false;
      const { readable, over } = current;
      const isStale = (): boolean => over.signal.aborted || payload.isStale() || !payload.isRunning();
      commitOnce = payload.commitOffsetsIfNecessary;
      // Records fetched before this assignment, or before the position was known, are not the next ones to read.
      if (!readable.has(partition) || isStale()) return;
      try {
        await options.onBatch({ ...toBatch(payload), isStale, continueAt: moveTo(partition) });
      } catch (error) {
        if (!(error instanceof NewerRecordError)) throw error;
        if (isStale()) return;
        consumer.pause([{ topic, partitions: [partition] }]);
        options.onStopped?.(partition, error);
        return;
      }
      if (!isStale()) payload.resolveOffset(payload.batch.lastOffset());
      if (isFirst) await linger(over.signal);
    },
    async commit(due) {
      // kafkajs publishes an assignment in microtasks. After a macrotask, `current` and the client's generation match.
      await macrotask();
      const offsets = new Map([...due()].filter(([partition]) => current.readable.has(partition)));
      if (commitOnce === undefined || offsets.size === 0) return new Map();
      const partitions = [...offsets].map(([partition, offset]) => ({
        partition,
        offset: offset.toString(),
      }));
      await commitOnce({ topics: [{ topic, partitions }] });
      return offsets;
    },
    seek(partition, offset) {
      if (current.readable.has(partition)) consumer.seek({ topic, partition, offset: offset.toString() });
    },
    end: () => void replaceAssignment(),
  };
}

function toBatch({ batch, heartbeat }: EachBatchPayload): Omit<Batch, 'isStale' | 'continueAt'> {
  const { partition } = batch;
  const records = batch.messages.map(({ offset, key, value, headers = {} }) => ({
    partition,
    offset: BigInt(offset),
    key: key?.toString() ?? '',
    value,
    ...(Object.keys(headers).length > 0 && { headers: textHeaders(headers) }),
  }));
  return { partition, records, end: BigInt(batch.highWatermark), heartbeat };
}

function textHeaders(headers: IHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
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
