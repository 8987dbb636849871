import type { PartitionChain } from './checkpoint.ts';
import type { ChainDeviation } from './compare-chain.ts';

/** Records that differ from a checkpoint. */
export interface CheckpointFinding {
  /** `changed`: the number of records is the same; `misdated`: the checkpoint was signed before a record that it covers. */
  type: 'removed' | 'changed' | 'inserted' | 'misdated';
  partition: number;
  /** Offsets in the checkpoint of the intact records around the finding; null where no such record exists. */
  after: string | null;
  before: string | null;
  /** The error in one line. */
  message: string;
  /** Details, a line each. */
  context: readonly string[];
}

/** The finding that the newest record of a partition in a checkpoint was appended after the time that the checkpoint states for itself. */
export function misdatedFinding(partition: number, offset: string, appended: string): CheckpointFinding {
  return {
    type: 'misdated',
    partition,
    after: null,
    before: offset,
    message: `the record at offset ${offset} was appended at ${appended}, after the time that the checkpoint states for itself`,
    context: ['the checkpoint was backdated, or the clock of its signer or of a service was wrong'],
  };
}

/** The finding about a deviation: its type, its offsets and its text. */
export function toFinding(
  { partition, marks }: PartitionChain,
  deviation: ChainDeviation,
): CheckpointFinding {
  const { after, before, covered, found } = deviation;
  const end = BigInt(marks.at(-1)?.offset ?? '0');
  const type = deviationType(deviation);
  return {
    type,
    partition,
    after: after === null ? null : String(after),
    before: before === null ? null : String(before),
    message: `${findingText(type, covered - found, deviation)} ${placeText(deviation, end)}`,
    context: contextLines(deviation, end),
  };
}

/** After the last intact record, additional records are no insertion: they may have been appended after the checkpoint. */
function deviationType({ covered, found, before }: ChainDeviation): CheckpointFinding['type'] {
  if (found < covered) return 'removed';
  return found > covered && before !== null ? 'inserted' : 'changed';
}

/** The number of affected records, and how they were affected; `missing` is negative for inserted records. */
function findingText(
  type: CheckpointFinding['type'],
  missing: number,
  { covered, before }: ChainDeviation,
): string {
  if (type === 'inserted') return `${recordsText(-missing)} inserted`;
  if (type === 'changed')
    return covered === 1 ? '1 record changed' : `some of ${recordsText(covered)} changed`;
  const count = before === null ? `at least ${recordsText(missing)}` : recordsText(missing);
  return covered === missing ? `${count} removed` : `${count} of ${covered} removed`;
}

/** The place of a deviation in the partition, by the offsets of the checkpoint. */
function placeText({ after, before, covered }: ChainDeviation, end: bigint): string {
  if (before === null) {
    if (after === null) return `up to offset ${end}: no record of the partition is intact`;
    return after + 1n === end
      ? `at offset ${end}, the newest record of the checkpoint`
      : `between offset ${after} and the newest record of the checkpoint, at offset ${end}`;
  }
  if (after === null) return `before offset ${before}`;
  if (covered === 1 && after + 2n === before) return `at offset ${after + 1n}`;
  return `between offsets ${after} and ${before}`;
}

/** The line with the present offsets of a deviation, if they differ from those of the checkpoint. */
function contextLines({ foundAfter, foundBefore, after, before }: ChainDeviation, end: bigint): string[] {
  const isMoved = foundBefore !== before || foundAfter !== after;
  if (!isMoved || foundBefore === null) return [];
  const [from, to] = [
    foundAfter === null ? 'the beginning' : `offset ${foundAfter}`,
    `offset ${foundBefore}`,
  ];
  return [
    `the changed records are between ${from} and ${to} of the present ledger; the checkpoint reaches to offset ${end}`,
  ];
}

function recordsText(count: number): string {
  return `${count} record${count === 1 ? '' : 's'}`;
}
