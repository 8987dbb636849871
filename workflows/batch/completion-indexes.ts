import type { JobSpec, JobStatus } from '../kubernetes/objects.ts';

/** A set of completion indexes as ascending ranges, both ends included, that neither overlap nor touch. */
export type Indexes = readonly (readonly [first: number, last: number])[];

/** Completed and failed indexes of an Indexed Job; `failed` is null without `backoffLimitPerIndex`. */
export interface IndexSets {
  completed: Indexes;
  failed: Indexes | null;
}

export function isIndexed({ completionMode }: Pick<JobSpec, 'completionMode'>): boolean {
  return completionMode === 'Indexed';
}

/**
 * True when a pod with this completion index counts for the Job: the index of a pod of an Indexed Job must be below
 * `completions`, and every pod of a NonIndexed Job counts (J-0.4).
 */
export function hasPlace(spec: JobSpec, index: number | undefined): boolean {
  return !isIndexed(spec) || (index !== undefined && index < (spec.completions ?? 0));
}

/** The fields of a Job that say which of its indexes are completed, and which have failed. */
interface ListedIndexes {
  spec: Pick<JobSpec, 'completions'>;
  status: Pick<JobStatus, 'completedIndexes' | 'failedIndexes'>;
  /** The indexes from before the API server was restored from an older copy, in the form of a status. */
  atLeast?: { completedIndexes: string; failedIndexes: string };
}

/** The completed indexes below `completions` (J-1.32): those of the status, and those of `atLeast`. */
export function completedIndexesOf(job: ListedIndexes): Indexes {
  return listedIndexesOf(job, 'completedIndexes');
}

/** The failed indexes below `completions` (J-1.32): those of the status, and those of `atLeast`. */
export function failedIndexesOf(job: ListedIndexes): Indexes {
  return listedIndexesOf(job, 'failedIndexes');
}

/** The indexes below `completions` that a field of the status or the same field of `atLeast` lists. */
function listedIndexesOf(
  { spec, status, atLeast }: ListedIndexes,
  field: 'completedIndexes' | 'failedIndexes',
): Indexes {
  const { completions = 0 } = spec;
  const shown = parseIndexes(status[field] ?? '', completions);
  return atLeast === undefined ? shown : union(shown, parseIndexes(atLeast[field], completions));
}

/**
 * Parses the indexes of a status leniently (J-1.32): skips text that is no number, and omits or cuts off numbers out
 * of range.
 */
export function parseIndexes(text: string, completions: number): Indexes {
  const indexes: [number, number][] = [];
  for (const fragment of text.split(',')) {
    // The parser uses no lists, because a status may have 100,000 numbers.
    const dash = fragment.indexOf('-');
    const first = parseIndex(dash < 0 ? fragment : fragment.slice(0, dash));
    const last = dash < 0 ? first : parseIndex(upToDash(fragment.slice(dash + 1)));
    if (Number.isNaN(first) || Number.isNaN(last)) continue;
    if (first >= completions) break;
    appendRange(indexes, first, Math.min(last, completions - 1));
  }
  return indexes;
}

/** Formats indexes in ascending order: three or more consecutive indexes as `first-last`, two as `a,b` (J-1.30). */
export function formatIndexes(indexes: Indexes): string {
  return indexes
    .map(([first, last]) =>
      last === first ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`,
    )
    .join(',');
}

/** The set of these numbers. */
export function toIndexes(numbers: readonly number[]): Indexes {
  const indexes: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) appendRange(indexes, number, number);
  return indexes;
}

/** The indexes that are in at least one of two sets. */
export function union(a: Indexes, b: Indexes): Indexes {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const indexes: [number, number][] = [];
  let [inA, inB] = [0, 0];
  for (;;) {
    const [one, other] = [a[inA], b[inB]];
    const next = other === undefined || (one !== undefined && one[0] <= other[0]) ? one : other;
    if (next === undefined) return indexes;
    if (next === one) inA += 1;
    else inB += 1;
    appendRange(indexes, next[0], next[1]);
  }
}

/** The number of indexes in a set. */
export function countIndexes(indexes: Indexes): number {
  return indexes.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** True when the set contains the index, found by binary search. */
export function contains(indexes: Indexes, index: number): boolean {
  let [low, high] = [0, indexes.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((indexes[middle]?.[1] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  const found = indexes[low];
  return found !== undefined && found[0] <= index;
}

/** The number of indexes in both sets. */
export function countOverlap(a: Indexes, b: Indexes): number {
  return countIndexes(a) + countIndexes(b) - countIndexes(union(a, b));
}

/** The indexes below `completions` that are missing in the set. */
export function missingIndexes(indexes: Indexes, completions: number): Indexes {
  const others: [number, number][] = [];
  let next = 0;
  for (const [first, last] of indexes) {
    if (first >= completions) break;
    appendRange(others, next, first - 1);
    next = last + 1;
  }
  appendRange(others, next, completions - 1);
  return others;
}

/** The indexes of the first set that the second set lacks. */
export function difference(a: Indexes, b: Indexes): Indexes {
  if (b.length === 0) return a;
  const left: [number, number][] = [];
  let at = 0;
  for (const [first, last] of a) {
    let next = first;
    while (at < b.length && (b[at]?.[1] ?? 0) < first) at += 1;
    for (let other = at; other < b.length && (b[other]?.[0] ?? 0) <= last; other += 1) {
      appendRange(left, next, (b[other]?.[0] ?? 0) - 1);
      next = (b[other]?.[1] ?? 0) + 1;
    }
    appendRange(left, next, last);
  }
  return left;
}

/** The indexes that are in both sets. */
export function intersection(a: Indexes, b: Indexes): Indexes {
  return difference(a, difference(a, b));
}

/** The lowest `count` indexes of a set. */
export function lowestIndexes(indexes: Indexes, count: number): Indexes {
  const chosen: [number, number][] = [];
  let left = count;
  for (const [first, last] of indexes) {
    if (left <= 0) break;
    appendRange(chosen, first, Math.min(last, first + left - 1));
    left -= last - first + 1;
  }
  return chosen;
}

/** The lowest `count` indexes below `completions` that are neither in the set nor excluded. */
export function lowestOutside(
  indexes: Indexes,
  completions: number,
  count: number,
  isExcluded: (index: number) => boolean,
): number[] {
  const chosen: number[] = [];
  let index = 0;
  for (const [first, last] of [...indexes, [completions, completions] as const]) {
    for (; index < first && chosen.length < count; index += 1) if (!isExcluded(index)) chosen.push(index);
    index = Math.max(index, last + 1);
  }
  return chosen;
}

/** Adds a range that does not start before the last range of the set. */
function appendRange(indexes: [number, number][], first: number, last: number): void {
  const before = indexes.at(-1);
  if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
  else if (last >= first) indexes.push([first, last]);
}

/** The text before its first dash. */
function upToDash(text: string): string {
  const dash = text.indexOf('-');
  return dash < 0 ? text : text.slice(0, dash);
}

const [PLUS, ZERO, NINE] = [0x2b, 0x30, 0x39];

/**
 * Parses a number like `strconv.Atoi`, without a minus sign: digits, with an optional plus sign. Returns NaN for any
 * other text. Speed matters, because a status may have 100,000 numbers.
 */
function parseIndex(text: string): number {
  const first = text.charCodeAt(0) === PLUS ? 1 : 0;
  if (text.length === first) return Number.NaN;
  let number = 0;
  for (let at = first; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return Number.NaN;
    number = number * 10 + (code - ZERO);
  }
  return number;
}
