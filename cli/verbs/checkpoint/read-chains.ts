import { InputError } from '../../../services/adapters/errors.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { readExtents, readRanges, type PartitionRange } from '../../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';
import { nameOfRecord, recordHash } from '../../checkpoint/chain.ts';
import type { Checkpoint, PartitionChain } from '../../checkpoint/checkpoint.ts';
import { emptyChain, extendChain } from '../../checkpoint/extend-chain.ts';
import { recordTime } from '../../checkpoint/ledger-time.ts';
import { progressLine } from '../../print/progress-line.ts';

interface ReadChains {
  partitions: PartitionChain[];
  /** The times at which the newest events of the partitions were appended, RFC 3339. */
  newest: string[];
}

/**
 * Extends the chains of all partitions to their present ends, from the records after the previous checkpoint. @throws InputError
 * when the ledger does not continue the previous checkpoint.
 */
export async function readChains(
  connection: KafkaConnection,
  previous: Checkpoint | null,
): Promise<ReadChains> {
  const { ledger } = connection.topics;
  const extents = await readExtents(connection, ledger);
  const known = new Map(previous?.partitions.map((chain) => [chain.partition, chain]));
  const parts = [...extents].map(([partition, { first, end }]) => {
    const from = known.get(partition) ?? emptyChain(partition);
    const last = from.marks.at(-1);
    // The last record of the previous checkpoint is read again, because the ledger must still contain it.
    const range = { from: last === undefined ? first : BigInt(last.offset), to: end };
    return { partition, range, extension: extendChain(from), last };
  });
  for (const partition of known.keys()) if (!extents.has(partition)) throw notContinuedError(partition);
  const total = parts.reduce((sum, { range }) => sum + Number(range.to - range.from), 0);
  const progress = progressLine(process.stderr, 'records');
  const seen = new Set<number>();
  const newest = new Map<number, LedgerRecord>();
  let done = 0;
  // Adds a record to the chain of its partition.
  const add = (record: LedgerRecord): void => {
    const part = parts.find(({ partition }) => partition === record.partition);
    const isFirst = !seen.has(record.partition);
    seen.add(record.partition);
    newest.set(record.partition, record);
    if (part?.last === undefined || !isFirst) return part?.extension.add(record);
    if (!isRecordOfMark(record, part.last)) throw notContinuedError(record.partition);
  };
  const ranges = new Map<number, PartitionRange[]>(parts.map(({ partition, range }) => [partition, [range]]));
  await readRanges(connection, ledger, ranges, (records) => {
    for (const record of records) add(record);
    done += records.length;
    progress.show(done, total);
    return Promise.resolve();
  });
  progress.end();
  for (const { partition, last } of parts)
    if (last !== undefined && !seen.has(partition)) throw notContinuedError(partition);
  return {
    partitions: parts.map(({ extension }) => extension.result()),
    newest: [...newest.values()].flatMap((record) => recordTime(record) ?? []),
  };
}

/** True when the record has the hash of the previous checkpoint's mark. */
function isRecordOfMark(
  record: LedgerRecord,
  { offset, record: name }: PartitionChain['marks'][number],
): boolean {
  return String(record.offset) === offset && nameOfRecord(recordHash(record)) === name;
}

/** The error that a partition of the ledger does not continue the previous checkpoint. */
function notContinuedError(partition: number): InputError {
  return new InputError(
    `partition ${partition} of the ledger does not continue the previous checkpoint: its last record is missing or changed; "jobledger admin verify --checkpoint" names the records`,
  );
}
