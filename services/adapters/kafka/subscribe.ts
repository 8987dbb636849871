import { randomUUID } from 'node:crypto';
import { setImmediate as macrotask, setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { messageOf } from '../errors.ts';
import { NewerRecordError } from '../event-codec.ts';
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
  /** True when the group has been assigned anew, or a stop was asked for: leave the rest. */
  isStale(): boolean;
}

export interface Subscription {
  /**
   * Commits for the group the offsets, by partition, that `due` tells at the moment of sending, of partitions that this
   * member reads. Kafka takes an offset of any partition from any member, so what an earlier assignment says must not be
   * sent by a later one. Returns what Kafka has taken. @throws when it has not, or may not have.
   */
  commit(due: () => ReadonlyMap<number, bigint>): Promise<ReadonlyMap<number, bigint>>;
  close(): Promise<void>;
  /** Resolves at the first assignment, with the partitions. */
  readonly assigned: Promise<number[]>;
}

export interface SubscribeOptions {
  topic: string;
  /** Members of one group share the partitions. Absent: a group of its own, gone at close. */
  groupId?: string;
  /**
   * Where to begin in a partition, as the caller keeps it (the offset to read next); null: nothing of this partition is
   * wanted. Asked anew after each assignment, and beside the reading: it may take its time, the group goes on with
   * heartbeats and the other partitions. When `isStale` the answer is not wanted any more. A throw is asked again.
   */
  positionOf: (partition: number, isStale: () => boolean) => Promise<bigint | null>;
  /**
   * A throw leaves the position: the batch comes again. A NewerRecordError stops the partition: it is read no further
   * until its next assignment.
   */
  onBatch: (batch: Batch) => Promise<void>;
  /** All partitions that this member has from now on; none after a failure that ended its membership. */
  onAssigned?: (partitions: number[]) => void;
  onStopped?: (partition: number, error: NewerRecordError) => void;
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
  const reading = createReading(consumer, log, options);
  const assigned = new Promise<number[]>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      const partitions = payload.memberAssignment[options.topic] ?? [];
      reading.assign(partitions);
      resolve(partitions);
    });
  });
  const run = (): Promise<void> =>
    consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: reading.pass });
  let isClosed = false;
  const runAgain = async (): Promise<void> => {
    await sleep(RESTART_MS);
    if (isClosed) return;
    await consumer.connect().then(run).catch(runAgain);
  };
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    log.warn({ error: messageOf(payload.error) }, 'the Kafka reader starts again');
    reading.assign([]);
    // To the client some faults are final that waiting mends, such as a coordinator of the group that is not found yet.
    if (!payload.restart) void runAgain();
  });
  await consumer.connect();
  await consumer.subscribe({ topic: options.topic, fromBeginning: true });
  await run();
  return {
    assigned,
    commit: reading.commit,
    close: async () => {
      isClosed = true;
      reading.end();
      await consumer.stop();
      await consumer.disconnect();
      if (options.groupId === undefined) await forgetGroup(kafka, groupId);
    },
  };
}

interface Reading extends Pick<Subscription, 'commit'> {
  assign(partitions: number[]): void;
  pass(payload: EachBatchPayload): Promise<void>;
  end(): void;
}

/** What one member reads: the partitions of its newest assignment whose position is known. */
function createReading(consumer: Consumer, log: KafkaConnection['log'], options: SubscribeOptions): Reading {
  const { topic } = options;
  /** Another set after each assignment: whoever holds an earlier one is stale. */
  let current = new Set<number>();
  /** kafkajs' own commit tries again, also after a rebalance; this one sends once, in the generation of that moment. */
  let commitOnce: EachBatchPayload['commitOffsetsIfNecessary'] | undefined;

  const begin = async (partition: number, readable: Set<number>): Promise<void> => {
    const isStale = (): boolean => readable !== current;
    while (!isStale()) {
      try {
        const position = await options.positionOf(partition, isStale);
        if (position === null || isStale()) return;
        consumer.seek({ topic, partition, offset: position.toString() });
        consumer.resume([{ topic, partitions: [partition] }]);
        readable.add(partition);
        return;
      } catch (error) {
        log.warn({ topic, partition, error: messageOf(error) }, 'where to read on is not known yet');
        await sleep(RESTART_MS);
      }
    }
  };
  return {
    assign(partitions) {
      const readable = (current = new Set());
      if (partitions.length > 0) consumer.pause([{ topic, partitions }]);
      options.onAssigned?.(partitions);
      for (const partition of partitions) void begin(partition, readable);
    },
    async pass(payload) {
      const { partition } = payload.batch;
      const readable = current;
      const isStale = (): boolean => readable !== current || payload.isStale() || !payload.isRunning();
      commitOnce = payload.commitOffsetsIfNecessary;
      // What was fetched before the assignment, or before the position was known, is not what is to be read next.
      if (!readable.has(partition) || isStale()) return;
      try {
        await options.onBatch({ ...contentOf(payload), isStale });
      } catch (error) {
        if (!(error instanceof NewerRecordError)) throw error;
        if (isStale()) return;
        consumer.pause([{ topic, partitions: [partition] }]);
        options.onStopped?.(partition, error);
        return;
      }
      if (!isStale()) payload.resolveOffset(payload.batch.lastOffset());
    },
    async commit(due) {
      // An assignment is made known in microtasks: after those `current` and the generation of the client belong together.
      await macrotask();
      const offsets = new Map([...due()].filter(([partition]) => current.has(partition)));
      if (commitOnce === undefined || offsets.size === 0) return new Map();
      const partitions = [...offsets].map(([partition, offset]) => ({
        partition,
        offset: offset.toString(),
      }));
      await commitOnce({ topics: [{ topic, partitions }] });
      return offsets;
    },
    end: () => void (current = new Set()),
  };
}

function contentOf({ batch, heartbeat }: EachBatchPayload): Omit<Batch, 'isStale'> {
  const { partition } = batch;
  const records = batch.messages.map(({ offset, key, value }) => ({
    partition,
    offset: BigInt(offset),
    key: key?.toString() ?? '',
    value,
  }));
  return { partition, records, end: BigInt(batch.highWatermark), heartbeat };
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
