import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { messageOf } from '../errors.ts';
import type { KafkaConnection } from './connection.ts';

/** One record as it lies in a partition. */
export interface LedgerRecord {
  partition: number;
  offset: bigint;
  key: string;
  value: Buffer | null;
}

export interface Batch {
  partition: number;
  records: LedgerRecord[];
  /** Offset after the newest record of the partition, when the batch was fetched. */
  end: bigint;
  /** Call it during long work, so that the group does not think this member dead. */
  heartbeat(): Promise<void>;
  /** True when the partition was taken away, or a stop was asked for: leave the rest. */
  isStale(): boolean;
}

export interface Subscription {
  /** With `commitsItself`: everything before this offset is done with. */
  commit(partition: number, offset: bigint): Promise<void>;
  close(): Promise<void>;
  /** Resolves at the first assignment, with the partitions. */
  readonly assigned: Promise<number[]>;
}

export interface SubscribeOptions {
  topic: string;
  /** Members of one group share the partitions. Absent: a group of its own, gone at close. */
  groupId?: string;
  /**
   * Where to begin in a partition, as the caller keeps it (the offset to read next); asked anew after each
   * assignment; null: nothing of this partition is wanted. Absent: Kafka keeps the position, committed after each batch, and
   * a new group begins at 0.
   */
  positionOf?: (partition: number) => Promise<bigint | null>;
  /** Kafka keeps the position, but only as far as the caller says with `commit`. */
  commitsItself?: true;
  /** A throw leaves the position: the batch comes again. */
  onBatch: (batch: Batch) => Promise<void>;
  onAssigned?: (partitions: number[]) => void;
}

const SESSION_MS = 6000;
const RESTART_MS = 1000;

/** Reads a topic in order, partition by partition, at least once, until closed. It outlives every fault of Kafka. */
export async function subscribe(
  { kafka, log }: KafkaConnection,
  options: SubscribeOptions,
): Promise<Subscription> {
  const groupId = options.groupId ?? `jobledger-reader-${randomUUID()}`;
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: SESSION_MS,
    rebalanceTimeout: SESSION_MS,
    heartbeatInterval: 1500,
    maxWaitTimeInMs: 250,
    maxBytesPerPartition: 4 * 1024 * 1024,
    // Kafka may be away for long: the reader waits for it.
    retry: {
      initialRetryTime: 200,
      maxRetryTime: 2000,
      retries: 5,
      restartOnFailure: () => Promise.resolve(true),
    },
  });
  const sought = new Set<number>();
  const assigned = new Promise<number[]>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      sought.clear();
      const partitions = payload.memberAssignment[options.topic] ?? [];
      options.onAssigned?.(partitions);
      resolve(partitions);
    });
  });
  const run = (): Promise<void> =>
    consumer.run({
      autoCommit: keepsPosition(options),
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => {
        if (await seekFirst(consumer, sought, options, payload)) return;
        await pass(payload, options);
      },
    });
  let isClosed = false;
  const runAgain = async (): Promise<void> => {
    await sleep(RESTART_MS);
    if (isClosed) return;
    await consumer.connect().then(run).catch(runAgain);
  };
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    log.warn({ error: messageOf(payload.error) }, 'the Kafka reader starts again');
    // To the client some faults are final that waiting mends, such as a coordinator of the group that is not found yet.
    if (!payload.restart) void runAgain();
  });
  await consumer.connect();
  await consumer.subscribe({ topic: options.topic, fromBeginning: true });
  await run();
  return {
    assigned,
    commit: (partition, offset) =>
      consumer.commitOffsets([{ topic: options.topic, partition, offset: offset.toString() }]),
    close: async () => {
      isClosed = true;
      await consumer.stop();
      await consumer.disconnect();
      if (options.groupId === undefined) await forgetGroup(kafka, groupId);
    },
  };
}

function keepsPosition({ positionOf, commitsItself }: SubscribeOptions): boolean {
  return positionOf === undefined && commitsItself !== true;
}

/** Moves to the caller's own position, once after each assignment. True when the batch in hand is not the one wanted. */
async function seekFirst(
  consumer: Consumer,
  sought: Set<number>,
  options: SubscribeOptions,
  { batch }: EachBatchPayload,
): Promise<boolean> {
  if (options.positionOf === undefined || sought.has(batch.partition)) return false;
  const position = await options.positionOf(batch.partition);
  sought.add(batch.partition);
  if (position === null) {
    consumer.pause([{ topic: options.topic, partitions: [batch.partition] }]);
    return true;
  }
  if (position === BigInt(batch.messages[0]?.offset ?? -1)) return false;
  consumer.seek({ topic: options.topic, partition: batch.partition, offset: position.toString() });
  return true;
}

async function pass(payload: EachBatchPayload, options: SubscribeOptions): Promise<void> {
  const { batch, heartbeat, isRunning, isStale, resolveOffset, commitOffsetsIfNecessary } = payload;
  const records = batch.messages.map((message) => ({
    partition: batch.partition,
    offset: BigInt(message.offset),
    key: message.key?.toString() ?? '',
    value: message.value,
  }));
  await options.onBatch({
    partition: batch.partition,
    records,
    end: BigInt(batch.highWatermark),
    heartbeat,
    isStale: () => isStale() || !isRunning(),
  });
  if (isStale()) return;
  resolveOffset(batch.lastOffset());
  if (keepsPosition(options)) await commitOffsetsIfNecessary(offsetsAfter(batch));
}

function offsetsAfter(
  batch: EachBatchPayload['batch'],
): Parameters<EachBatchPayload['commitOffsetsIfNecessary']>[0] {
  const offset = (BigInt(batch.lastOffset()) + 1n).toString();
  return { topics: [{ topic: batch.topic, partitions: [{ partition: batch.partition, offset }] }] };
}

async function forgetGroup(kafka: KafkaConnection['kafka'], groupId: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.deleteGroups([groupId]);
  } catch {
    // The group is empty and expires by itself.
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
