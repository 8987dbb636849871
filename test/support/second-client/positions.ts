/** Where a consumer continues in the partitions that it has. */
export interface Positions {
  /** Replaces everything by these partitions, whose positions are unknown. */
  assign(partitions: readonly number[]): void;
  pause(partitions: readonly number[]): void;
  resume(partitions: readonly number[]): void;
  seek(partition: number, offset: bigint): void;
  /** The next offset of each partition that may be read. */
  readable(): Map<number, bigint>;
  /** The state of a partition during a batch; null if it may not be read. */
  mark(partition: number): Mark | null;
}

export interface Mark {
  /** False after another assignment or a seek. */
  isCurrent(): boolean;
  /** Sets the position, unless the mark is out of date. */
  advance(offset: bigint): void;
}

export function createPositions(): Positions {
  let assigned = new Set<number>();
  let paused = new Set<number>();
  /** Each assignment and each seek puts a new object. */
  let positions = new Map<number, { offset: bigint }>();
  const isReadable = (partition: number): boolean => assigned.has(partition) && !paused.has(partition);
  return {
    assign(partitions) {
      assigned = new Set(partitions);
      paused = new Set();
      positions = new Map();
    },
    pause: (partitions) => void (paused = paused.union(new Set(partitions))),
    resume: (partitions) => void (paused = paused.difference(new Set(partitions))),
    seek: (partition, offset) => void positions.set(partition, { offset }),
    readable: () =>
      new Map(
        [...positions]
          .filter(([partition]) => isReadable(partition))
          .map(([partition, { offset }]) => [partition, offset]),
      ),
    mark(partition) {
      const position = positions.get(partition);
      if (position === undefined || !isReadable(partition)) return null;
      const isCurrent = (): boolean => positions.get(partition) === position;
      return {
        isCurrent,
        advance: (offset) => {
          if (isCurrent()) position.offset = offset;
        },
      };
    },
  };
}
