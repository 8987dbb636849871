import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import { chainStart, linkRecord, nameOfRecord, recordHash } from './chain.ts';
import type { Mark, PartitionChain } from './checkpoint.ts';

/** Extends the chain of one partition, record by record. */
export interface ChainExtension {
  add(record: LedgerRecord): void;
  result(): PartitionChain;
}

/** The largest number of marks of a partition, 70 KB of JSON; when there are more, every second mark is removed. */
const MOST_MARKS = 512;

/** `from` is the chain of the previous checkpoint. */
export function extendChain(from: PartitionChain): ChainExtension {
  const before = from.marks.at(-1);
  let { every } = from;
  let marks = from.marks.filter(({ records }) => isKept(records, every));
  let chain = before === undefined ? chainStart(from.partition) : Buffer.from(before.chain, 'hex');
  let records = before?.records ?? 0;
  let newest: { offset: bigint; hash: Buffer } | null = null;
  // The mark of the newest record; the last mark of the previous checkpoint if there is no new record.
  const lastMark = (): Mark | undefined => {
    if (newest === null) return before;
    const { offset, hash } = newest;
    return { records, offset: String(offset), record: nameOfRecord(hash), chain: chain.toString('hex') };
  };
  return {
    add(record) {
      newest = { offset: record.offset, hash: recordHash(record) };
      chain = linkRecord(chain, newest.hash);
      records += 1;
      const mark = isKept(records, every) ? lastMark() : undefined;
      if (mark === undefined) return;
      marks.push(mark);
      if (marks.length <= MOST_MARKS) return;
      every *= 2;
      marks = marks.filter((each) => isKept(each.records, every));
    },
    result() {
      const last = lastMark();
      const isMarked = last === undefined || marks.at(-1)?.records === last.records;
      return { partition: from.partition, every, marks: isMarked ? marks : [...marks, last] };
    },
  };
}

/** The chain of a partition before any record is read. */
export function emptyChain(partition: number): PartitionChain {
  return { partition, every: 1, marks: [] };
}

/** True when a record with this number gets a mark: the first record, and every `every`-th record. */
function isKept(records: number, every: number): boolean {
  return records === 1 || records % every === 0;
}
