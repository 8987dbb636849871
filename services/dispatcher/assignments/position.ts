/** The read position of a partition in one assignment, and the offsets in flight. */
export interface CommitPosition {
  /** Everything before this offset has been read. */
  read(next: bigint): void;
  /** `length` is the number of bytes that are kept until the record is finished. */
  begin(offset: bigint, length?: number): void;
  finish(offset: bigint): void;
  /** Kafka has acknowledged this offset. */
  commit(offset: bigint): void;
  /** The offset to commit, before which every record is finished; null when it is already committed. */
  due(): bigint | null;
  inFlight(): number;
  /** Bytes of the offsets in flight. */
  inFlightLength(): number;
  /** The offset to read next. */
  next(): bigint;
  /** Null when the group has no offset. */
  committed(): bigint | null;
}

/**
 * Starts at the committed offset of the group, or elsewhere when the group has none. Never passes an offset in
 * flight, in whatever order offsets finish.
 */
export function createPosition(start: bigint, hasOffset = true): CommitPosition {
  /** Lengths by offset. */
  const inFlight = new Map<bigint, number>();
  let length = 0;
  let next = start;
  let committed = hasOffset ? start : null;
  return {
    read: (to) => void (next = to),
    begin(offset, added = 0) {
      length += added - (inFlight.get(offset) ?? 0);
      inFlight.set(offset, added);
    },
    finish(offset) {
      length -= inFlight.get(offset) ?? 0;
      inFlight.delete(offset);
    },
    commit: (offset) => void (committed = offset),
    due: () => {
      // Offsets are added in ascending order, so the first is the lowest.
      const [lowest = next] = inFlight.keys();
      return committed === null || lowest > committed ? lowest : null;
    },
    inFlight: () => inFlight.size,
    inFlightLength: () => length,
    next: () => next,
    committed: () => committed,
  };
}
