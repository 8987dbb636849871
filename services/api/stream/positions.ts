/**
 * A reader's position in the ledger: the next offset by partition. A missing partition is read from its beginning.
 * Rows of a partition become visible in offset order, which a sequence column would not guarantee.
 */
export type Positions = ReadonlyMap<number, bigint>;

const PART = /^(\d{1,9}):(\d{1,18})$/;

/** The positions as `PARTITION:OFFSET`, separated by commas; `0:0` when nothing was read. */
export function positionsText(positions: Positions): string {
  const parts = [...positions]
    .toSorted(([a], [b]) => a - b)
    .map(([partition, next]) => `${partition}:${next}`);
  return parts.length === 0 ? '0:0' : parts.join(',');
}

/**
 * Parses positions; returns undefined for any other text. For a repeated partition, the lowest offset applies, so that
 * no event is skipped.
 */
export function positionsIn(text: string): Positions | undefined {
  const parts = text.split(',').map((part) => PART.exec(part));
  const pairs = parts.flatMap((match) =>
    match?.[1] === undefined || match[2] === undefined ? [] : [[Number(match[1]), BigInt(match[2])] as const],
  );
  if (pairs.length < parts.length) return undefined;
  const positions = new Map<number, bigint>();
  for (const [partition, next] of pairs) {
    const earlier = positions.get(partition);
    if (earlier === undefined || next < earlier) positions.set(partition, next);
  }
  return positions;
}

/** A range of offsets in a partition: `first` inclusive, `beyond` exclusive. */
export interface Span {
  partition: number;
  first: bigint;
  beyond: bigint;
}

/** The spans from the positions to the ends, with at most `most` offsets per partition. */
export function spansBehind(positions: Positions, ends: Positions, most: bigint): Span[] {
  return [...ends].flatMap(([partition, end]) => {
    const first = positions.get(partition) ?? 0n;
    if (first >= end) return [];
    return [{ partition, first, beyond: end < first + most ? end : first + most }];
  });
}

/** A copy of the positions with one partition changed. */
export function withPosition(positions: Positions, partition: number, next: bigint): Positions {
  return new Map(positions).set(partition, next);
}
