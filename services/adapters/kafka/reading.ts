import { setImmediate as macrotask } from 'node:timers/promises';
import type { EachBatchPayload, IHeaders } from 'kafkajs';
import { NewerRecordError } from '../events/unreadable-record.ts';
import { logFailures, retry } from '../waiting/retry.ts';
import type { UsedConsumer } from './client-library.ts';
import { createLinger } from './linger.ts';
import type { KafkaConnection } from './connection.ts';
import type { Subscription, SubscribeOptions, Batch } from './subscription.ts';

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
export function createReading(
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
