import { describe, expect, it } from '@jest/globals';
import type { JobHistogram } from '../../page/api/rows.ts';
import { barsOf, draggedPeriod, totalsOf } from '../../page/fleet/bars.ts';
import { instantIn, localField } from '../../page/words/instants.ts';

const HISTOGRAM: JobHistogram = {
  from: '2026-11-21T03:00:00Z',
  before: '2026-11-21T03:02:00Z',
  step_ms: 60_000,
  buckets: [
    { from: '2026-11-21T03:00:00Z', created: 4, completed: 0, failed: 0 },
    { from: '2026-11-21T03:01:00Z', created: 0, completed: 3, failed: 1 },
  ],
};

describe('a histogram', () => {
  it('has its bars beside each other, the highest as high as the picture', () => {
    const bars = barsOf(HISTOGRAM).map(({ series, jobs, x, height }) => [
      series,
      jobs,
      Math.round(x),
      height,
    ]);
    expect(bars).toEqual([
      ['created', 4, 0, 100],
      ['completed', 3, 67, 75],
      ['failed', 1, 83, 25],
    ]);
  });

  it('without Jobs has no bars', () => {
    expect(barsOf({ ...HISTOGRAM, buckets: [] })).toEqual([]);
    expect(
      barsOf({
        ...HISTOGRAM,
        buckets: HISTOGRAM.buckets.map((each) => ({ ...each, created: 0, completed: 0, failed: 0 })),
      }),
    ).toEqual([]);
  });

  it('says how many Jobs it shows', () => {
    expect(totalsOf(HISTOGRAM)).toEqual({ created: 4, completed: 3, failed: 1 });
  });
});

describe('a dragged period', () => {
  const range = { from: 10_000, to: 20_000 };
  it.each([
    ['to the right', 0.2, 0.5, { from: 12_000, to: 15_000 }],
    ['to the left', 0.5, 0.2, { from: 12_000, to: 15_000 }],
    ['beyond the picture', -1, 2, range],
    ['within a second', 0.21, 0.22, { from: 12_000, to: 13_000 }],
    ['within nothing', 0.2, 0.2, { from: 12_000, to: 13_000 }],
  ])('%s', (_how, one, other, expected) => {
    expect(draggedPeriod(range, one, other)).toEqual(expected);
  });
});

describe('a field for date and time', () => {
  it('has the instant to the second', () => {
    const at = Date.parse('2026-11-21T03:00:01.250Z');
    expect(instantIn(localField(at))).toBe(Date.parse('2026-11-21T03:00:01Z'));
    expect(localField(at)).toMatch(/^2026-11-2\dT\d\d:\d\d:01$/);
  });

  it('that is empty has none', () => {
    expect(instantIn('')).toBeUndefined();
  });
});
