import type { JobHistogram } from '../api/rows.ts';
import type { TimeRange } from '../job/time-range.ts';
import { SERIES } from './bars.ts';

/** A histogram that fills a smaller share of its range is drawn again in a shorter range. */
const SPARSE = 0.6;

/** The shortest range, in milliseconds. */
const SHORTEST = 60_000;

/** The range from the first count of a histogram to its end; null if the histogram is empty, or if it fills its range already. */
export function fittedRange({ from, before, step_ms: step, buckets }: JobHistogram): TimeRange | null {
  const start = Date.parse(from);
  const end = Date.parse(before);
  // True when a bucket has counts.
  const isFull = (bucket: JobHistogram['buckets'][number]): boolean =>
    SERIES.some((series) => bucket[series] > 0);
  const first = buckets.findIndex(isFull);
  if (first < 0) return null;
  const begin = Math.max(start, start + first * step - step / 2);
  if (end - begin >= (end - start) * SPARSE || end - start <= SHORTEST) return null;
  return { from: Math.floor(Math.min(begin, end - SHORTEST)), to: end };
}
