import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import { chainStart, linkRecord, nameOfRecord, recordHash } from './chain.ts';
import type { Mark, PartitionChain } from './checkpoint.ts';

/** Records between two unchanged records that differ from those of the checkpoint. */
export interface ChainDeviation {
  /** The number of records that the checkpoint has between the two unchanged records. */
  covered: number;
  /**
   * The present number of records between the two unchanged records; after the last unchanged record, the number of all records to the end of the
   * partition.
   */
  found: number;
  /**
   * Offsets of the intact records before and after the deviation, as in the checkpoint; null where no such record
   * exists.
   */
  after: bigint | null;
  before: bigint | null;
  /** The present offsets of these intact records. */
  foundAfter: bigint | null;
  foundBefore: bigint | null;
}

/** Compares the records of one partition with its chain in a checkpoint. */
export interface ChainComparison {
  add(record: LedgerRecord): void;
  /**
   * The caller calls this after the last record of the partition. The list is empty if every record of the checkpoint
   * exists.
   */
  deviations(): ChainDeviation[];
  /** True when the partition has the record of at least one mark. */
  isKnown(): boolean;
}

/** A record of the partition that has the hash of a mark. */
interface Place {
  /** Index of the mark; -1 stands for the place before the first record. */
  mark: number;
  /** The number of records of the partition that were read up to this record. */
  seen: number;
  offset: bigint | null;
}

/**
 * An assumption: the record at `place` is the mark's record, and the following records are unchanged. The next mark proves the assumption if its
 * chain equals `chain`.
 */
interface Candidate {
  place: Place;
  chain: Buffer;
}

/** Records that equal a mark's record by chance, such as a record that was appended twice, are few. */
const MOST_CANDIDATES = 8;

/**
 * After a deviation, the comparison looks for the records of the following marks, so that it finds each deviation and
 * does not mistake moved records for changed records.
 */
export function compareChain({ partition, marks }: PartitionChain): ChainComparison {
  const named = marksByName(marks);
  const found: ChainDeviation[] = [];
  /** The last intact record that has a mark. */
  let proved: Place = { mark: -1, seen: 0, offset: null };
  /** The first candidate follows `proved` without a deviation. */
  let candidates: Candidate[] = [{ place: proved, chain: chainStart(partition) }];
  let seen = 0;
  // True when the record of the last mark is proved to be intact.
  const isDone = (): boolean => proved.mark === marks.length - 1;
  // Accepts a candidate's assumption: `place` becomes the last intact record with a mark.
  const acceptCandidate = (candidate: Candidate, place: Place): void => {
    if (candidate.place !== proved) found.push(deviationBetween(marks, proved, candidate.place));
    proved = place;
    candidates = [{ place, chain: candidate.chain }];
  };
  return {
    add(record) {
      if (isDone()) return;
      seen += 1;
      const hash = recordHash(record);
      for (const candidate of candidates) candidate.chain = linkRecord(candidate.chain, hash);
      for (const mark of named.get(nameOfRecord(hash)) ?? []) {
        if (mark <= proved.mark) continue;
        const place = { mark, seen, offset: record.offset };
        const chain = marks[mark]?.chain ?? '';
        const right = candidates.find(
          (each) => each.place.mark === mark - 1 && each.chain.toString('hex') === chain,
        );
        if (right !== undefined) return acceptCandidate(right, place);
        candidates.push({ place, chain: Buffer.from(chain, 'hex') });
        if (candidates.length > MOST_CANDIDATES) candidates.splice(1, 1);
      }
    },
    deviations() {
      if (isDone()) return found;
      const last = candidates.reduce((best, each) => (each.place.mark >= best.place.mark ? each : best));
      const middle = last.place === proved ? [] : [deviationBetween(marks, proved, last.place)];
      return [...found, ...middle, ...deviationAfter(marks, last.place, seen)];
    },
    isKnown: () => proved.mark >= 0 || candidates.length > 1,
  };
}

/** The indexes of the marks, by the hash that names their record. */
function marksByName(marks: readonly Mark[]): Map<string, number[]> {
  const named = new Map<string, number[]>();
  for (const [index, { record }] of marks.entries()) named.set(record, [...(named.get(record) ?? []), index]);
  return named;
}

/** The deviation between two records of the partition that both have a mark. */
function deviationBetween(marks: readonly Mark[], from: Place, to: Place): ChainDeviation {
  return {
    covered: recordCountUpTo(marks, to.mark) - recordCountUpTo(marks, from.mark) - 1,
    found: to.seen - from.seen - 1,
    after: offsetAt(marks, from.mark),
    before: offsetAt(marks, to.mark),
    foundAfter: from.offset,
    foundBefore: to.offset,
  };
}

/** The part of the checkpoint after a record of the partition. */
function deviationAfter(marks: readonly Mark[], from: Place, seen: number): ChainDeviation[] {
  const covered = recordCountUpTo(marks, marks.length - 1) - recordCountUpTo(marks, from.mark);
  if (covered === 0) return [];
  return [
    {
      covered,
      found: seen - from.seen,
      after: offsetAt(marks, from.mark),
      before: null,
      foundAfter: from.offset,
      foundBefore: null,
    },
  ];
}

/** The number of records of the partition up to a mark; 0 before the first mark. */
function recordCountUpTo(marks: readonly Mark[], index: number): number {
  return marks[index]?.records ?? 0;
}

/** The offset of a mark; null for an index without a mark. */
function offsetAt(marks: readonly Mark[], index: number): bigint | null {
  const offset = marks[index]?.offset;
  return offset === undefined ? null : BigInt(offset);
}
