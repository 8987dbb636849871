import { createHash } from 'node:crypto';
import type { LedgerRecord } from '../../services/adapters/kafka/subscribe.ts';

// SHA-256 over the records of one partition, each value also over the previous one. The first hashed byte distinguishes records
// from links, as in RFC 6962, so that no record can be passed off as a link.
const START = Buffer.from('jobledger/chain/1/', 'utf8');
const RECORD = 0;
const LINK = 1;

/** Length of a record without a value, which differs from an empty one. */
const NO_VALUE = 0xffffffff;

/**
 * The chain of a partition before its first record. It includes the partition's number, so two partitions cannot be exchanged.
 */
export function chainStart(partition: number): Buffer {
  return createHash('sha256').update(START).update(String(partition)).digest();
}

/**
 * Hash of the key and the value of a record. Both lengths are hashed too, so that nothing can move between them. The offset is
 * not, so a record is recognised even after others were removed. Neither is Kafka's timestamp, which Jobledger does not read.
 */
export function recordHash({ key, value }: Pick<LedgerRecord, 'key' | 'value'>): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt8(RECORD, 0);
  head.writeUInt32BE(Buffer.byteLength(key), 1);
  head.writeUInt32BE(value?.length ?? NO_VALUE, 5);
  const hash = createHash('sha256').update(head).update(key);
  return (value === null ? hash : hash.update(value)).digest();
}

/** The chain after one more record. */
export function link(chain: Buffer, record: Buffer): Buffer {
  const both = Buffer.alloc(65);
  both.writeUInt8(LINK, 0);
  chain.copy(both, 1);
  record.copy(both, 33);
  return createHash('sha256').update(both).digest();
}

/** Hexadecimal digits of a record's hash in a mark: enough to find the record; the chain proves it. */
const NAME_DIGITS = 12;

export function nameOfRecord(record: Buffer): string {
  return record.toString('hex', 0, NAME_DIGITS / 2);
}
