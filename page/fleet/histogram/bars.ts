import type { JobHistogram } from '../../api/rows.ts';
import type { TimeRange } from '../../components/time-range.ts';

/** What a bucket counts. */
export const SERIES = ['created', 'completed', 'failed'] as const;

/** The bar of a bucket, with the failed Jobs at the bottom and the completed Jobs above them, in percent of the picture. */
export interface Bar {
  x: number;
  width: number;
  failed: number;
  completed: number;
  /** The height of the mark of the created Jobs. */
  created: number;
}

/** The bars of a histogram, in its order; a bar of `most` Jobs is as high as the picture. */
export function toBars({ from, before, step_ms: step, buckets }: JobHistogram, most: number): Bar[] {
  const length = Date.parse(before) - Date.parse(from);
  const width = (step / length) * 100;
  // The height of a number of Jobs, in percent of the picture.
  const height = (count: number): number => (count / most) * 100;
  return buckets.map(({ created, completed, failed }, index) => ({
    x: index * width,
    width,
    failed: height(failed),
    completed: height(completed),
    created: height(created),
  }));
}

/** The top of the axis: a round number that is at least the largest count of a bucket. */
export function scaleTop({ buckets }: JobHistogram): number {
  const most = Math.max(
    1,
    ...buckets.flatMap(({ created, completed, failed }) => [created, completed + failed]),
  );
  const size = 10 ** Math.floor(Math.log10(most));
  return (
    [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((factor) => factor * size).find((round) => round >= most) ?? most
  );
}

/** The numbers of Jobs of each series. */
export function sumBuckets({ buckets }: JobHistogram): Record<(typeof SERIES)[number], number> {
  // The number of Jobs of a series in all buckets.
  const sum = (series: (typeof SERIES)[number]): number =>
    buckets.reduce((all, bucket) => all + bucket[series], 0);
  return { created: sum('created'), completed: sum('completed'), failed: sum('failed') };
}

/** The period between two positions in the picture, given as fractions of its width; the period is at least one second long. */
export function draggedPeriod({ from, to }: TimeRange, one: number, other: number): TimeRange {
  // The instant at a share of the picture's width.
  const at = (share: number): number => from + (to - from) * Math.min(1, Math.max(0, share));
  const start = Math.floor(at(Math.min(one, other)) / 1000) * 1000;
  const end = Math.ceil(at(Math.max(one, other)) / 1000) * 1000;
  return { from: start, to: Math.max(end, start + 1000) };
}
