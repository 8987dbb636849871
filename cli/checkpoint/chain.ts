import { createHash } from 'node:crypto';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';

// SHA-256 over the records of one partition; the hash of each record also covers the previous hash. The first hashed
// byte distinguishes records from links, as in RFC 6962, so that no record can be passed off as a link.
const START = Buffer.from('jobledger/chain/1/', 'utf8');
const RECORD = 0;
const LINK = 1;

/** The length of a record without a value, which differs from the length of an empty value. */
const NO_VALUE = 0xffffffff;

/**
 * The chain of a partition before its first record. The hash includes the partition's number, so two partitions
 * cannot be exchanged.
 */
export function chainStart(partition: number): Buffer {
  return createHash('sha256').update(START).update(String(partition)).digest();
}

/**
 * Hash of the key and the value of a record. The lengths of key and value are hashed too, so that no byte can move
 * between them. The offset is not hashed, so a record is recognised even after other records were removed. Kafka's
 * timestamp, which Jobledger does not read, is not hashed either.
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
export function linkRecord(chain: Buffer, record: Buffer): Buffer {
  const both = Buffer.alloc(65);
  both.writeUInt8(LINK, 0);
  chain.copy(both, 1);
  record.copy(both, 33);
  return createHash('sha256').update(both).digest();
}

/**
 * The number of hexadecimal digits of a record's hash in a mark is enough to find the record; the chain proves it.
 */
const NAME_DIGITS = 12;

/** The beginning of a record's hash, by which a mark names the record. */
export function nameOfRecord(record: Buffer): string {
  return record.toString('hex', 0, NAME_DIGITS / 2);
}
