/** How far a reader of the ledger is behind in one partition. */
export interface Behind {
  partition: number;
  events: number;
  /** How long the oldest event that is not done with has been in the ledger, as far as it was watched. */
  seconds: number;
}

/** Compares where a reader is with where the ledger ends, time and again. */
export interface Lag {
  /** The ends of the partitions, and the positions before which everything is done with, at an instant in milliseconds. */
  look(at: number, ends: ReadonlyMap<number, bigint>, positions: ReadonlyMap<number, bigint>): void;
  /** What it is now; of the partitions that were ever seen. */
  behind(now: number): Behind[];
}

/** The end that a partition had at an instant. */
interface Mark {
  at: number;
  end: bigint;
}

/** So many ends are remembered; when there are more, every other one is forgotten, never the oldest. */
const REMEMBERED = 512;

export function createLag(): Lag {
  const marks = new Map<number, Mark[]>();
  const done = new Map<number, bigint>();
  return {
    look(at, ends, positions) {
      for (const [partition, position] of positions) done.set(partition, position);
      for (const [partition, end] of ends) {
        const position = done.get(partition) ?? 0n;
        const ahead = (marks.get(partition) ?? []).filter((mark) => mark.end > position);
        const isNew = end > (ahead.at(-1)?.end ?? position);
        const all = isNew ? [...ahead, { at, end }] : ahead;
        marks.set(partition, all.length > REMEMBERED ? thinned(all) : all);
      }
    },
    behind: (now) =>
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

/** The newest is kept as well: it is where the partition ends. */
function thinned(marks: readonly Mark[]): Mark[] {
  return marks.filter((_mark, index) => index % 2 === 0 || index === marks.length - 1);
}
