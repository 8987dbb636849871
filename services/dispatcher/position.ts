/** How far a partition has been read in one assignment, and what of it is still to be sent. */
export interface CommitPosition {
  /** Everything before this offset has been read. */
  read(next: bigint): void;
  begin(offset: bigint): void;
  finish(offset: bigint): void;
  /** Kafka has taken this offset. */
  commit(offset: bigint): void;
  /** What is to be committed, everything before it is done with; null when Kafka has it. */
  due(): bigint | null;
  inFlight(): number;
  /** The offset to be read next. */
  next(): bigint;
  committed(): bigint;
}

/** It begins where the group had committed to. It never passes an offset that is owed, in whatever order they are settled. */
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
