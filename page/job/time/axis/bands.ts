import type { Lane, LanePod } from '../../pods/lanes.ts';
import type { Share } from '../../placement/shares.ts';
import { percentAt, type TimeRange } from '../../../components/time-range.ts';

/** Neighbouring lanes shown as one row. */
export interface Band {
  key: string;
  label: string;
  lanes: readonly Lane[];
}

export type AxisRow =
  | { kind: 'lane'; lane: Lane }
  | { kind: 'band'; band: Band; isOpen: boolean }
  | { kind: 'share'; share: Share };

/** The largest number of single lanes; more lanes are shown as bands. */
const MOST_ROWS = 200;

/**
 * The rows of the picture: the lanes or, if there are many, bands of ten, a hundred and so on; the lanes of an open band follow it. The lanes of a
 * spread Job follow the row of their cluster.
 */
export function axisRows(
  lanes: readonly Lane[],
  open: ReadonlySet<string>,
  shares: readonly Share[] = [],
): AxisRow[] {
  const size = 10 ** Math.ceil(Math.log10(lanes.length / MOST_ROWS));
  if (shares.length === 0) return toRows(lanes, open, size);
  return shares.flatMap((share): AxisRow[] => {
    const own = lanes.filter(({ cluster }) => cluster === share.cluster);
    return [{ kind: 'share', share }, ...toRows(own, open, size)];
  });
}

/** The rows of lanes in bands of `size` lanes; if `size` is 1 or less, there are no bands. */
function toRows(lanes: readonly Lane[], open: ReadonlySet<string>, size: number): AxisRow[] {
  if (size <= 1) return lanes.map((lane) => ({ kind: 'lane', lane }));
  return toBands(lanes, size).flatMap((band): AxisRow[] => {
    const isOpen = open.has(band.key);
    const inside = isOpen ? band.lanes.map((lane): AxisRow => ({ kind: 'lane', lane })) : [];
    return [{ kind: 'band', band, isOpen }, ...inside];
  });
}

/** Divides the lanes into bands of `size` neighbouring lanes. */
function toBands(lanes: readonly Lane[], size: number): Band[] {
  const count = Math.ceil(lanes.length / size);
  return Array.from({ length: count }, (_, at) => {
    const [from, to] = [at * size, Math.min(lanes.length, (at + 1) * size)];
    const own = lanes.slice(from, to);
    const [first, last] = [own[0]?.index ?? null, own.at(-1)?.index ?? null];
    const label = first === null || last === null ? `pods ${from + 1} to ${to}` : `index ${first} to ${last}`;
    const { cluster } = own[0] ?? {};
    return { key: cluster === undefined ? `band ${from}` : `band ${from} in ${cluster}`, label, lanes: own };
  });
}

/** The numbers of pods in each state, and of failures, in each column of a range. */
export interface Density {
  pending: number[];
  running: number[];
  ready: number[];
  failed: number[];
}

/**
 * The density of a band. Only changes up to `at` are included, or all changes if `at` is null. A state shorter than a column is shown as one column.
 */
export function bandDensity(
  { lanes }: Band,
  { range, at, columns }: { range: TimeRange; at: number | null; columns: number },
): Density {
  // The position of an instant, counted in columns.
  const column = (instant: number): number => (percentAt(range, instant) / 100) * columns;
  const changes = { pending: zeroCounts(columns), running: zeroCounts(columns), ready: zeroCounts(columns) };
  const failed = zeroCounts(columns);
  const latest = Math.min(range.to, at ?? Number.POSITIVE_INFINITY);
  for (const { segments, end } of lanePods(lanes)) {
    for (const { kind, from, to } of segments) {
      const until = Math.min(to ?? latest, latest);
      if (from > latest || until < range.from) continue;
      const start = Math.max(0, Math.round(column(from)));
      const over = Math.min(columns, Math.max(start + 1, Math.round(column(until))));
      if (start >= columns) continue;
      addAt(changes[kind], start, 1);
      addAt(changes[kind], over, -1);
    }
    if (end?.isFailure === true && end.at <= latest && end.at >= range.from)
      addAt(failed, Math.min(columns - 1, Math.floor(column(end.at))), 1);
  }
  return {
    pending: runningSums(changes.pending),
    running: runningSums(changes.running),
    ready: runningSums(changes.ready),
    failed,
  };
}

/** The pods of all lanes. */
function lanePods(lanes: readonly Lane[]): LanePod[] {
  return lanes.flatMap(({ pods }) => pods);
}

/** A list with a 0 for each column. */
function zeroCounts(columns: number): number[] {
  return Array.from({ length: columns }, () => 0);
}

/** Adds to an entry of a list; a change at the end of the last column has no entry, and no effect. */
function addAt(list: number[], index: number, by: number): void {
  if (index < list.length) list[index] = (list[index] ?? 0) + by;
}

/** The sums of all changes up to each column. */
function runningSums(changes: readonly number[]): number[] {
  let sum = 0;
  return changes.map((change) => (sum += change));
}

/**
 * The SVG paths of stacked columns, one for each list. Column n is drawn from x = n to n + 1, and a column of value `most` has the height 1.
 */
export function stackedPaths(lists: readonly (readonly number[])[], most: number): string[] {
  const below: number[] = [];
  return lists.map((list) => {
    let path = '';
    for (let first = 0; first < list.length;) {
      const [value, floor] = [list[first] ?? 0, below[first] ?? 0];
      let next = first + 1;
      while (next < list.length && list[next] === value && (below[next] ?? 0) === floor) next++;
      if (value > 0)
        path += `M${first} ${roundToThousandths(1 - floor / most)}h${next - first}V${roundToThousandths(1 - (floor + value) / most)}h${first - next}z`;
      for (let at = first; at < next; at++) below[at] = floor + value;
      first = next;
    }
    return path;
  });
}

/** Rounds a number to three digits after the point. */
function roundToThousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}
