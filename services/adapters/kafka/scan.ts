import type { UsedAdmin } from './client-library.ts';
import { errorMessage, UnavailableError } from '../errors.ts';
import { retry } from '../waiting/retry.ts';
import { withTimeLimit } from '../waiting/within.ts';
import type { KafkaConnection } from './connection.ts';
import { subscribe } from './subscribe.ts';
import { type LedgerRecord } from './subscription.ts';
import { unreadTopicReason } from './why-unread.ts';

/** The offset after the newest record, by partition; empty partitions are left out. */
export async function readEnds(connection: KafkaConnection, topic: string): Promise<Map<number, bigint>> {
  const extents = await readExtents(connection, topic);
  return new Map(
    [...extents]
      .filter(([, { first, end }]) => first !== end)
      .map(([partition, { end }]) => [partition, end]),
  );
}

/** The range of the records in a partition: the offset of the first record, and the offset after the newest record. */
export interface Extent {
  first: bigint;
  end: bigint;
}

/** After a failover or the creation of a partition, a broker may need this long to learn that it leads the partition. */
const LEADER_LIMIT_MS = 10_000;
/** A broker may accept connections and never answer. */
const OFFSETS_LIMIT_MS = 30_000;
const REASON_LIMIT_MS = 8000;

/** The range of the records in each partition. @throws UnavailableError when Kafka does not answer or does not have the topic. */
export async function readExtents(connection: KafkaConnection, topic: string): Promise<Map<number, Extent>> {
  const offsets = await queryOffsets(connection, topic, (admin) => admin.fetchTopicOffsets(topic));
  return new Map(
    offsets.map(({ partition, low, high }) => [partition, { first: BigInt(low), end: BigInt(high) }]),
  );
}

/**
 * The offset of the first record that was sent at `time` (milliseconds) or later, by partition; if no record is so new,
 * the offset after the newest record. @throws UnavailableError.
 */
export async function offsetsAt(
  connection: KafkaConnection,
  topic: string,
  time: number,
): Promise<Map<number, bigint>> {
  const offsets = await queryOffsets(connection, topic, (admin) =>
    admin.fetchTopicOffsetsByTimestamp(topic, time),
  );
  return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
}

async function queryOffsets<T>(
  connection: KafkaConnection,
  topic: string,
  query: (admin: UsedAdmin) => Promise<T>,
): Promise<T> {
  const { kafka } = connection;
  const queryOnce = async (): Promise<T> => {
    // Each attempt has its own connection, because a connection remembers the leaders.
    const admin = kafka.admin();
    try {
      await admin.connect();
      return await query(admin);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  };
  try {
    const signal = AbortSignal.timeout(LEADER_LIMIT_MS);
    return await withTimeLimit(OFFSETS_LIMIT_MS, retry(queryOnce, { signal, shouldRetry: isLeaderChanging }));
  } catch (cause) {
    const reason = await withTimeLimit(REASON_LIMIT_MS, unreadTopicReason(connection, topic)).catch(
      () => null,
    );
    throw new UnavailableError(
      reason ?? `Kafka does not return the offsets of the topic ${topic}`,
      reason === null ? { cause } : {},
    );
  }
}

/** True for an error during a change of the leader, for which kafkajs does not repeat the request. */
function isLeaderChanging(error: unknown): boolean {
  // Node cannot import the error classes of kafkajs.
  const { type } = error as { type?: unknown };
  return type === 'NOT_LEADER_FOR_PARTITION' || type === 'LEADER_NOT_AVAILABLE';
}

/**
 * A consumer that receives no record for this long is replaced by another consumer, which continues at the same
 * offsets.
 */
const STALLED_MS = 15_000;
const CLOSE_LIMIT_MS = 5000;

/** Reads a topic from its beginning to its current end, or to `to`: each partition in order, each record once. */
export async function scan(
  connection: KafkaConnection,
  topic: string,
  visit: (record: LedgerRecord) => void,
  to?: Offsets,
): Promise<void> {
  const ends = to ?? (await readEnds(connection, topic));
  await readBetween(connection, topic, { from: new Map(), to: ends }, (records) => {
    for (const record of records) visit(record);
    return Promise.resolve();
  });
}

/** The offsets by partition; a missing partition means 0. */
export type Offsets = ReadonlyMap<number, bigint>;

/**
 * Reads an offset range of each partition in order, each record once, from the first offset up to the last,
 * exclusive. All records in the ranges must exist.
 */
export function readBetween(
  connection: KafkaConnection,
  topic: string,
  { from, to }: { from: Offsets; to: Offsets },
  onRecords: OnRecords,
  options?: ReadOptions,
): Promise<void> {
  const ranges = [...to].map(
    ([partition, end]) => [partition, [{ from: from.get(partition) ?? 0n, to: end }]] as const,
  );
  return readRanges(connection, topic, new Map(ranges), onRecords, options);
}

/** The offsets of one partition: `from` is the first offset, `to` the offset after the last. */
export interface PartitionRange {
  from: bigint;
  to: bigint;
}

/** The offsets by partition, only for partitions with records. */
type RangesLeft = ReadonlyMap<number, readonly PartitionRange[]>;

type OnRecords = (records: readonly LedgerRecord[]) => Promise<void>;

export interface ReadOptions {
  /** Ends the reading with its reason. */
  signal?: AbortSignal;
  /** The maximum bytes of a fetch for each partition. The default is the size for a continuing reader. */
  fetchBytes?: number;
  /** Receives the number of records that Kafka returned in each batch, including unwanted records. */
  onFetched?: (records: number) => void;
}

/**
 * Reads several offset ranges of each partition, given in order and without overlap: each record that Kafka still has, once. A
 * partition must reach beyond the ends of its ranges.
 */
export async function readRanges(
  connection: KafkaConnection,
  topic: string,
  ranges: ReadonlyMap<number, readonly PartitionRange[]>,
  onRecords: OnRecords,
  options: ReadOptions = {},
): Promise<void> {
  const left = new Map(
    [...ranges]
      .map(([partition, all]) => [partition, all.filter(({ from, to }) => to > from)] as const)
      .filter(([, some]) => some.length > 0),
  );
  let progress = positionsText(left);
  let since = performance.now();
  while (left.size > 0) {
    await readRemaining(connection, topic, left, onRecords, options);
    const now = positionsText(left);
    if (now !== progress) since = performance.now();
    else if (left.size > 0)
      await reportStall(connection, { topic, left, waitedMs: performance.now() - since });
    progress = now;
  }
}

/** Logs that the consumer receives no record. @throws UnavailableError when the time limit of the connection has passed. */
async function reportStall(
  connection: KafkaConnection,
  { topic, left, waitedMs }: { topic: string; left: RangesLeft; waitedMs: number },
): Promise<void> {
  const seconds = Math.round(waitedMs / 1000);
  const [[partition = 0, [first] = []] = []] = left;
  const reason = await withTimeLimit(REASON_LIMIT_MS, unreadTopicReason(connection, topic)).catch(
    errorMessage,
  );
  const message = `Kafka has returned no record of the topic ${topic} for ${seconds} s (partition ${partition} at offset ${first?.from}${reason === null ? '' : `: ${reason}`})`;
  if (waitedMs >= (connection.readLimitMs ?? Infinity)) throw new UnavailableError(message);
  connection.log.warn({ topic }, `${message}; trying again`);
}

function positionsText(left: RangesLeft): string {
  return [...left].map(([partition, [first]]) => `${partition}:${first?.from}`).join(' ');
}

/** Reads until nothing is left in any partition, or until the consumer stalls. */
async function readRemaining(
  connection: KafkaConnection,
  topic: string,
  left: Map<number, readonly PartitionRange[]>,
  onRecords: OnRecords,
  { signal, fetchBytes, onFetched }: ReadOptions,
): Promise<void> {
  signal?.throwIfAborted();
  let finish: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  finished.catch(() => undefined);
  const abort = (): void => fail(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const restartTimer = (): void => {
    clearTimeout(timer);
    timer = setTimeout(finish, STALLED_MS);
  };
  restartTimer();
  const subscribing = subscribe(connection, {
    topic,
    ...(fetchBytes !== undefined && { fetchBytes }),
    onUndecodable: fail,
    readPosition: (partition) => Promise.resolve(left.get(partition)?.[0]?.from ?? null),
    onBatch: async ({ partition, records, continueAt }) => {
      // The time that `onRecords` takes is not a stall.
      clearTimeout(timer);
      onFetched?.(records.length);
      const wanted = left.get(partition) ?? [];
      const next = (records.at(-1)?.offset ?? -1n) + 1n;
      const rest = rangesFrom(wanted, next);
      const here = wanted.slice(0, wanted.length - rest.length + 1);
      try {
        await onRecords(records.filter(({ offset }) => isInRanges(here, offset)));
      } catch (error) {
        fail(error);
        throw error;
      }
      left.set(partition, rest);
      const [first] = rest;
      if (first === undefined) left.delete(partition);
      if (first === undefined || first.from > next) continueAt(first?.from ?? null);
      if (left.size === 0) finish();
      else restartTimer();
    },
  });
  try {
    // This call also ends a start to which Kafka does not respond.
    await Promise.race([subscribing, finished]);
    await finished;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    await waitAtMost(
      CLOSE_LIMIT_MS,
      subscribing.then((subscription) => subscription.close()),
    );
  }
}

function isInRanges(ranges: readonly PartitionRange[], offset: bigint): boolean {
  return ranges.some(({ from, to }) => offset >= from && offset < to);
}

/** The parts of the ranges from an offset on. */
function rangesFrom(ranges: readonly PartitionRange[], next: bigint): PartitionRange[] {
  const at = ranges.findIndex(({ to }) => to > next);
  const [first, ...later] = at === -1 ? [] : ranges.slice(at);
  return first === undefined ? [] : [{ from: first.from > next ? first.from : next, to: first.to }, ...later];
}

async function waitAtMost(milliseconds: number, work: Promise<void>): Promise<void> {
  await withTimeLimit(milliseconds, work).catch(() => undefined);
}
