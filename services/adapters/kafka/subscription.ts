import { NewerRecordError } from '../events/unreadable-record.ts';
import type { UndecodableError } from './codecs.ts';

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
