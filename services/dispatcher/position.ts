/** How far a partition has been read in one assignment, and which of its offsets are in flight. */
export interface CommitPosition {
  /** Everything before this offset has been read. */
  read(next: bigint): void;
  begin(offset: bigint): void;
  finish(offset: bigint): void;
  /** Kafka has acknowledged this offset. */
  commit(offset: bigint): void;
  /** The offset to commit, before which everything is finished; null when it is already committed. */
  due(): bigint | null;
  inFlight(): number;
  /** The offset to read next. */
  next(): bigint;
  committed(): bigint;
}

/** Starts at the committed offset of the group. Never passes an offset in flight, in whatever order offsets finish. */
export function createPosition(start: bigint): CommitPosition {
  const inFlight = new Set<bigint>();
  let [next, committed] = [start, start];
  return {
    read: (to) => void (next = to),
    begin: (offset) => void inFlight.add(offset),
    finish: (offset) => void inFlight.delete(offset),
    commit: (offset) => void (committed = offset),
    due: () => {
      // Offsets are added in ascending order, so the first is the lowest.
      const [lowest = next] = inFlight;
      return lowest > committed ? lowest : null;
    },
    inFlight: () => inFlight.size,
    next: () => next,
    committed: () => committed,
  };
}
