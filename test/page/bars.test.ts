import { describe, expect, it } from '@jest/globals';
import type { JobHistogram } from '../../page/api/rows.ts';
import { toBars, draggedPeriod, scaleTop, sumBuckets } from '../../page/fleet/histogram/bars.ts';
import { instantIn, localField } from '../../page/components/instants.ts';

const HISTOGRAM: JobHistogram = {
  from: '2026-11-21T03:00:00Z',
  before: '2026-11-21T03:02:00Z',
  step_ms: 60_000,
  buckets: [
    { from: '2026-11-21T03:00:00Z', created: 4, completed: 0, failed: 0 },
    { from: '2026-11-21T03:01:00Z', created: 0, completed: 3, failed: 1 },
  ],
};

describe('the histogram on the page', () => {
  it('has a bar for each bucket, with the failed Jobs below the completed Jobs', () => {
    expect(toBars(HISTOGRAM, 4)).toEqual([
      { x: 0, width: 50, failed: 0, completed: 0, created: 100 },
      { x: 50, width: 50, failed: 25, completed: 75, created: 0 },
    ]);
  });

  it.each([
    [0, 1],
    [1, 1],
    [4, 4],
    [7, 8],
    [11, 15],
    [255, 300],
    [1000, 1000],
  ])('has an axis up to a round number: for %s Jobs up to %s', (created, top) => {
    const buckets = [{ from: '2026-11-21T03:00:00Z', created, completed: 0, failed: 0 }];
    expect(scaleTop({ ...HISTOGRAM, buckets })).toBe(top);
  });

  it('shows how many Jobs it contains', () => {
    expect(sumBuckets(HISTOGRAM)).toEqual({ created: 4, completed: 3, failed: 1 });
  });
});

describe('a period that a user drags in the histogram', () => {
  const range = { from: 10_000, to: 20_000 };
  it.each([
    ['to the right', 0.2, 0.5, { from: 12_000, to: 15_000 }],
    ['to the left', 0.5, 0.2, { from: 12_000, to: 15_000 }],
    ['beyond the picture', -1, 2, range],
    ['within a second', 0.21, 0.22, { from: 12_000, to: 13_000 }],
    ['to no other place', 0.2, 0.2, { from: 12_000, to: 13_000 }],
  ])(
    'has limits at full seconds within the histogram when the user drags the pointer %s',
    (_how, one, other, expected) => {
      expect(draggedPeriod(range, one, other)).toEqual(expected);
    },
  );
});

describe('the input field of the page for date and time', () => {
  it('shows and gives an instant to the second', () => {
    const at = Date.parse('2026-11-21T03:00:01.250Z');
    expect(instantIn(localField(at))).toBe(Date.parse('2026-11-21T03:00:01Z'));
    expect(localField(at)).toMatch(/^2026-11-2\dT\d\d:\d\d:01$/);
  });

  it('gives no instant when it is empty', () => {
    expect(instantIn('')).toBeUndefined();
  });
});
