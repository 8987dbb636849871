/** A store of marks, by partition of the ledger. */
export interface MarkStore {
  read(partition: number): Promise<number | null>;
  write(partition: number, mark: number): Promise<void>;
}

/** A mark in Temporal. `from` is the previous mark in Kafka, and is absent if Kafka had no mark. */
export interface MarkAfter {
  mark: number;
  from?: number;
}

export interface MarkAfterStore {
  read(partition: number): Promise<MarkAfter | null>;
  write(partition: number, mark: MarkAfter): Promise<void>;
}

export interface Marks {
  /** The partitions whose marks in Temporal and Kafka differ: one of the two was lost or restored from an old copy. */
  outOfStep(partitions: Iterable<number>): Promise<number[]>;
  /**
   * Writes new marks, except in partitions whose marks differ, because a new mark would hide the difference. Returns
   * these partitions.
   */
  renew(partitions: Iterable<number>): Promise<number[]>;
  /** Writes new marks even where the marks differ, because the differences have been dealt with. */
  restart(partitions: Iterable<number>): Promise<void>;
}

export interface MarksDependencies {
  temporal: MarkAfterStore;
  /** `forget` drops the memory of another writer's marks. */
  kafka: MarkStore & { forget: () => void };
  now: () => number;
  /** Waits until another dispatcher has written to Kafka the mark that it has written to Temporal. */
  settle: () => Promise<void>;
}

/**
 * A mark is a number that grows, written to Temporal and then to Kafka. The two differ when Temporal or Kafka was
 * restored from an older copy. The runs and the ledger then do not match: some facts would never reach a run, or a
 * run remembers facts that the ledger has lost. If only the write to Kafka failed, no mark was lost and the write is
 * repeated: Kafka still has the previous mark that Temporal names.
 */
export function createMarks({ temporal, kafka, now, settle }: MarksDependencies): Marks {
  const readMarks = async (
    partition: number,
  ): Promise<{ inKafka: number | null; inTemporal: MarkAfter | null }> => {
    // Kafka is read first, because another dispatcher that writes a mark between the two reads writes the mark to
    // Temporal before Kafka.
    const inKafka = await kafka.read(partition);
    return { inKafka, inTemporal: await temporal.read(partition) };
  };
  const findDifferences = async (
    partitions: readonly number[],
  ): Promise<{ ahead: Ahead[]; behind: number[] }> => {
    const all = await Promise.all(
      partitions.map(async (partition) => ({ partition, ...(await readMarks(partition)) })),
    );
    const known = all.flatMap(({ partition, inKafka, inTemporal }) =>
      inKafka === null ? [] : [{ partition, inKafka, mark: inTemporal?.mark ?? -1, from: inTemporal?.from }],
    );
    return {
      ahead: known
        .filter(({ inKafka, mark }) => mark > inKafka)
        .map(({ partition, inKafka, mark, from }) => ({ partition, mark, isPending: from === inKafka })),
      behind: known.filter(({ inKafka, mark }) => mark < inKafka).map(({ partition }) => partition),
    };
  };
  const findOutOfStep = async (partitions: Iterable<number>): Promise<number[]> => {
    const { ahead, behind } = await findDifferences([...partitions]);
    if (ahead.length === 0) return behind;
    await settle();
    kafka.forget();
    const still = (await findDifferences(ahead.map(({ partition }) => partition))).ahead;
    for (const { partition, mark, isPending } of still) if (isPending) await kafka.write(partition, mark);
    return [...behind, ...still.filter(({ isPending }) => !isPending).map(({ partition }) => partition)];
  };
  const writeMarks = async (partitions: Iterable<number>): Promise<void> => {
    const writing = [...partitions].map(async (partition) => {
      const { inKafka, inTemporal } = await readMarks(partition);
      const mark = Math.max(now(), (inKafka ?? 0) + 1, (inTemporal?.mark ?? 0) + 1);
      await temporal.write(partition, { mark, ...(inKafka !== null && { from: inKafka }) });
      await kafka.write(partition, mark);
    });
    await Promise.all(writing);
  };
  return {
    outOfStep: findOutOfStep,
    async renew(partitions) {
      const all = [...partitions];
      const found = await findOutOfStep(all);
      await writeMarks(all.filter((partition) => !found.includes(partition)));
      return found;
    },
    restart: writeMarks,
  };
}

/**
 * A partition whose mark in Temporal is newer. `isPending` is true when Kafka has the previous mark, so that only the
 * write to Kafka is missing.
 */
interface Ahead {
  partition: number;
  mark: number;
  isPending: boolean;
}
