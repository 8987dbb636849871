/** The lag of a reader of the ledger in one partition. */
export interface Behind {
  partition: number;
  events: number;
  /** The observed time in seconds since the oldest unprocessed event was appended. */
  seconds: number;
}

/** Measures lag from periodic samples of positions and end offsets. */
export interface Lag {
  /**
   * Adds a sample: the time in milliseconds, the end offsets, and the positions before which all events are processed.
   */
  addSample(at: number, ends: ReadonlyMap<number, bigint>, positions: ReadonlyMap<number, bigint>): void;
  /** The current lag of every partition seen so far. */
  partitionLags(now: number): Behind[];
}

/** The end offset of a partition at a time. */
interface Mark {
  at: number;
  end: bigint;
}

/** The maximum number of end offsets per partition. Beyond this number, every second entry is dropped, but never the oldest. */
const REMEMBERED = 512;

export function createLag(): Lag {
  const marks = new Map<number, Mark[]>();
  const done = new Map<number, bigint>();
  return {
    addSample(at, ends, positions) {
      for (const [partition, position] of positions) done.set(partition, position);
      for (const [partition, end] of ends) {
        const position = done.get(partition) ?? 0n;
        const ahead = (marks.get(partition) ?? []).filter((mark) => mark.end > position);
        const isNew = end > (ahead.at(-1)?.end ?? position);
        const all = isNew ? [...ahead, { at, end }] : ahead;
        marks.set(partition, all.length > REMEMBERED ? everySecondMark(all) : all);
      }
    },
    partitionLags: (now) =>
      [...marks].map(([partition, [oldest, ...later]]) => {
        const end = later.at(-1)?.end ?? oldest?.end ?? 0n;
        return {
          partition,
          events: oldest === undefined ? 0 : Number(end - (done.get(partition) ?? 0n)),
          seconds: oldest === undefined ? 0 : (now - oldest.at) / 1000,
        };
      }),
  };
}

/** Every second entry, and the newest entry, which is the end of the partition. */
function everySecondMark(marks: readonly Mark[]): Mark[] {
  return marks.filter((_mark, index) => index % 2 === 0 || index === marks.length - 1);
}
