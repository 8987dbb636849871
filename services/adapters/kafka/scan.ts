import { UnavailableError } from '../errors.ts';
import type { KafkaConnection } from './connection.ts';
import { subscribe, type LedgerRecord } from './subscribe.ts';

/** The offset after the newest record, by partition; empty partitions are left out. */
export async function endsOf(connection: KafkaConnection, topic: string): Promise<Map<number, bigint>> {
  const extents = await extentsOf(connection, topic);
  return new Map(
    [...extents]
      .filter(([, { first, end }]) => first !== end)
      .map(([partition, { end }]) => [partition, end]),
  );
}

/** The records in a partition: offset of the first record, and the offset after the newest. */
export interface Extent {
  first: bigint;
  end: bigint;
}

/** @throws UnavailableError when Kafka does not answer or has no such topic. */
export async function extentsOf({ kafka }: KafkaConnection, topic: string): Promise<Map<number, Extent>> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(topic);
    return new Map(
      offsets.map(({ partition, low, high }) => [partition, { first: BigInt(low), end: BigInt(high) }]),
    );
  } catch (cause) {
    throw new UnavailableError(`Kafka does not return the offsets of the topic ${topic}`, { cause });
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** A consumer that receives nothing for this long is replaced by another one, which continues at the same offsets. */
const STALLED_MS = 15_000;
const CLOSE_LIMIT_MS = 5000;

/** Reads a topic from its beginning to its current end: each partition in order, each record once. */
export async function scan(
  connection: KafkaConnection,
  topic: string,
  visit: (record: LedgerRecord) => void,
): Promise<void> {
  const ends = await endsOf(connection, topic);
  await readBetween(connection, topic, { from: new Map(), to: ends }, (records) => {
    for (const record of records) visit(record);
    return Promise.resolve();
  });
}

/** Offsets by partition; a missing partition means 0. */
export type Offsets = ReadonlyMap<number, bigint>;

/**
 * Reads an offset range of each partition: in order, each record once, from the first offset up to the one before the
 * last. All of these records must exist.
 */
export async function readBetween(
  connection: KafkaConnection,
  topic: string,
  { from, to }: { from: Offsets; to: Offsets },
  onRecords: (records: readonly LedgerRecord[]) => Promise<void>,
): Promise<void> {
  const next = new Map(from);
  const ends = new Map([...to].filter(([partition, end]) => end > (from.get(partition) ?? 0n)));
  while (ends.size > 0) await readOn(connection, topic, { next, ends }, onRecords);
}

/** Reads until every partition reaches its end and is removed from `ends`, or until the consumer stalls. */
async function readOn(
  connection: KafkaConnection,
  topic: string,
  { next, ends }: { next: Map<number, bigint>; ends: Map<number, bigint> },
  onRecords: (records: readonly LedgerRecord[]) => Promise<void>,
): Promise<void> {
  let finish: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const restartTimer = (): void => {
    clearTimeout(timer);
    timer = setTimeout(finish, STALLED_MS);
  };
  restartTimer();
  const subscription = await subscribe(connection, {
    topic,
    positionOf: (partition) => Promise.resolve(ends.has(partition) ? (next.get(partition) ?? 0n) : null),
    onBatch: async ({ partition, records }) => {
      // The time that `onRecords` takes is not a stall.
      clearTimeout(timer);
      const [end, from] = [ends.get(partition) ?? 0n, next.get(partition) ?? 0n];
      try {
        await onRecords(records.filter(({ offset }) => offset >= from && offset < end));
      } catch (error) {
        fail(error);
        throw error;
      }
      next.set(partition, (records.at(-1)?.offset ?? -1n) + 1n);
      if ((next.get(partition) ?? 0n) >= end) ends.delete(partition);
      if (ends.size === 0) finish();
      else restartTimer();
    },
  });
  try {
    await finished;
  } finally {
    clearTimeout(timer);
    await atMost(CLOSE_LIMIT_MS, subscription.close());
  }
}

async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
