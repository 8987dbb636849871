import type { JobHistogram } from '../api/rows.ts';
import type { TimeRange } from '../job/time-range.ts';

/** The kinds of bars, in the order of the bars of a bucket. */
export const SERIES = ['created', 'completed', 'failed'] as const;

export interface Bar {
  series: (typeof SERIES)[number];
  jobs: number;
  /** In percent of the picture. */
  x: number;
  width: number;
  height: number;
}

/** The bars of a histogram, side by side in each bucket; the highest fills the picture. Empty ones are left out. */
export function barsOf({ from, before, step_ms: step, buckets }: JobHistogram): Bar[] {
  const length = Date.parse(before) - Date.parse(from);
  const most = Math.max(...buckets.flatMap((bucket) => SERIES.map((series) => bucket[series])));
  const width = ((step / length) * 100) / SERIES.length;
  return buckets.flatMap((bucket, index) =>
    SERIES.map((series, place) => ({
      series,
      jobs: bucket[series],
      x: (index * SERIES.length + place) * width,
      width,
      height: (bucket[series] / most) * 100,
    })).filter(({ jobs }) => jobs > 0),
  );
}

/** All Jobs of each series. */
export function totalsOf({ buckets }: JobHistogram): Record<(typeof SERIES)[number], number> {
  const sum = (series: (typeof SERIES)[number]): number =>
    buckets.reduce((all, bucket) => all + bucket[series], 0);
  return { created: sum('created'), completed: sum('completed'), failed: sum('failed') };
}

/** The period between two positions in the picture, each a fraction of its width; at least a second long. */
export function draggedPeriod({ from, to }: TimeRange, one: number, other: number): TimeRange {
  const at = (share: number): number => from + (to - from) * Math.min(1, Math.max(0, share));
  const start = Math.floor(at(Math.min(one, other)) / 1000) * 1000;
  const end = Math.ceil(at(Math.max(one, other)) / 1000) * 1000;
  return { from: start, to: Math.max(end, start + 1000) };
}
