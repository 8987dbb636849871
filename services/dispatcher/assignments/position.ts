/** The read position of a partition in one assignment, and the offsets in flight. */
export interface CommitPosition {
  /** Records that everything before this offset has been read. */
  read(next: bigint): void;
  /** `length` is the number of bytes that are kept until the record is finished. */
  begin(offset: bigint, length?: number): void;
  finish(offset: bigint): void;
  /** Records that Kafka has acknowledged this offset. */
  commit(offset: bigint): void;
  /** The offset to commit, before which every record is finished; null when it is already committed. */
  due(): bigint | null;
  inFlight(): number;
  /** The size of the records in flight, in bytes. */
  inFlightLength(): number;
  /** The offset to read next. */
  next(): bigint;
  /** The committed offset; null when the group has no offset. */
  committed(): bigint | null;
}

/**
 * Creates a position at `start`, which is the committed offset of the group when `hasOffset` is true. The offset to
 * commit never passes an offset in flight, in whatever order the offsets finish.
 */
export function createPosition(start: bigint, hasOffset = true): CommitPosition {
  /** The lengths of the records in flight, by offset. */
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
