import type { Extent, PartitionRange } from '../../adapters/kafka/scan.ts';
import type { RecordLocation } from '../../read-model/streams/stream-locations.ts';

/** The ranges to read, by partition, in order. */
export type ReadingPlan = ReadonlyMap<number, readonly PartitionRange[]>;

/** The number of unwanted records that cost less to read than another fetch. */
const GAP = 20n;

/** The plan that reads the whole topic. */
export function planWholeTopic(extents: ReadonlyMap<number, Extent>): ReadingPlan {
  return new Map([...extents].map(([partition, { first, end }]) => [partition, [{ from: first, to: end }]]));
}

/** The plan that reads the records at known places and all records that the tables do not contain yet. */
export function planKnownPlaces(
  extents: ReadonlyMap<number, Extent>,
  records: readonly RecordLocation[],
  appliedUpTo: ReadonlyMap<number, bigint>,
): ReadingPlan {
  return new Map(
    [...extents].map(([partition, { first, end }]) => {
      const applied = appliedUpTo.get(partition) ?? 0n;
      const places = records.filter((record) => record.partition === partition && record.offset < end);
      const ranges = places.map(({ offset }) => ({ from: offset, to: offset + 1n }));
      return [partition, mergeRanges([...ranges, { from: applied > first ? applied : first, to: end }])];
    }),
  );
}

/** Sorts the ranges, and merges neighbouring ranges. */
function mergeRanges(ranges: readonly PartitionRange[]): PartitionRange[] {
  const all: PartitionRange[] = [];
  for (const { from, to } of ranges.filter((each) => each.to > each.from).toSorted(compareStarts)) {
    const last = all.at(-1);
    if (last === undefined || from > last.to + GAP) all.push({ from, to });
    else if (to > last.to) last.to = to;
  }
  return all;
}

function compareStarts(a: PartitionRange, b: PartitionRange): number {
  return Number(a.from - b.from);
}
