/**
 * How far a reader has come in the ledger: by partition, the offset to read next. A partition that is not named is read
 * from its beginning. Rows of a partition become visible in this order, which that of a sequence would not promise.
 */
export type Positions = ReadonlyMap<number, bigint>;

const PART = /^(\d{1,9}):(\d{1,18})$/;

/** `PARTITION:OFFSET`, separated by commas; `0:0` when nothing was ever read. */
export function positionsText(positions: Positions): string {
  const parts = [...positions]
    .toSorted(([a], [b]) => a - b)
    .map(([partition, next]) => `${partition}:${next}`);
  return parts.length === 0 ? '0:0' : parts.join(',');
}

/** Undefined for a text that is none. */
export function positionsIn(text: string): Positions | undefined {
  const parts = text.split(',').map((part) => PART.exec(part));
  const pairs = parts.flatMap((match) =>
    match?.[1] === undefined || match[2] === undefined ? [] : [[Number(match[1]), BigInt(match[2])] as const],
  );
  const positions = new Map(pairs);
  return pairs.length === parts.length && positions.size === pairs.length ? positions : undefined;
}

/** What lies in a partition from here on and before there. */
export interface Span {
  partition: number;
  first: bigint;
  beyond: bigint;
}

/** What there is to read behind positions, at most so many offsets of each partition. */
export function spansBehind(positions: Positions, ends: Positions, most: bigint): Span[] {
  return [...ends].flatMap(([partition, end]) => {
    const first = positions.get(partition) ?? 0n;
    if (first >= end) return [];
    return [{ partition, first, beyond: end < first + most ? end : first + most }];
  });
}

/** Positions with one partition moved. */
export function moved(positions: Positions, partition: number, next: bigint): Positions {
  return new Map(positions).set(partition, next);
}
