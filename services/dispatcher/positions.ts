/** How far each partition has been read, and what of it is still to be sent. */
export interface Positions {
  read(partition: number, next: bigint): void;
  owe(partition: number, offset: bigint): void;
  settle(partition: number, offset: bigint): void;
  forget(partitions: readonly number[]): void;
  /** Positions that moved since the last call: everything before them is done with. */
  movedSince(): { partition: number; offset: bigint }[];
  owed(): number;
  partitions(): number[];
}

/** A position never passes an offset that is owed, in whatever order they are settled. */
export function createPositions(): Positions {
  const partitions = new Map<number, { next: bigint; owed: Set<bigint>; told: bigint }>();
  const at = (partition: number): { next: bigint; owed: Set<bigint>; told: bigint } => {
    const known = partitions.get(partition) ?? { next: 0n, owed: new Set<bigint>(), told: -1n };
    partitions.set(partition, known);
    return known;
  };
  return {
    read: (partition, next) => void (at(partition).next = next),
    owe: (partition, offset) => void at(partition).owed.add(offset),
    settle: (partition, offset) => void at(partition).owed.delete(offset),
    forget: (others) => {
      for (const partition of others) partitions.delete(partition);
    },
    movedSince: () =>
      [...partitions].flatMap(([partition, known]) => {
        // Offsets are added in ascending order, so the first is the lowest.
        const [lowest] = known.owed;
        const offset = lowest ?? known.next;
        if (offset === known.told) return [];
        known.told = offset;
        return [{ partition, offset }];
      }),
    partitions: () => [...partitions.keys()],
    owed: () => [...partitions.values()].reduce((sum, { owed }) => sum + owed.size, 0),
  };
}
