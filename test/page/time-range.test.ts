import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  panRange,
  percentAt,
  spanPercents,
  rangeAround,
  axisTicks,
  zoomRange,
} from '../../page/components/time-range.ts';
import { duration } from '../../page/components/instants.ts';

const HOUR = { from: 0, to: 3_600_000 };
const someRange = fc
  .tuple(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 100, max: 1e11 }))
  .map(([from, length]) => ({ from, to: from + length }));

describe('a time range on the page', () => {
  it('gives each instant a place as a percentage of the range', () => {
    expect([0, 900_000, 3_600_000, 7_200_000].map((at) => percentAt(HOUR, at))).toEqual([0, 25, 100, 200]);
  });

  it.each([
    ['inside', { from: 900_000, to: 1_800_000 }, { start: 25, width: 25 }],
    ['over both edges', { from: -5, to: 7_200_000 }, { start: 0, width: 100 }],
    ['without end', { from: 1_800_000, to: null }, { start: 50, width: 50 }],
    ['before', { from: -10, to: -5 }, null],
    ['after', { from: 3_600_001, to: 3_700_000 }, null],
  ])('shows the part of a span within the range: %s', (_where, span, part) => {
    expect(spanPercents(HOUR, span)).toEqual(part);
  });

  it('keeps the instant under the pointer at its place when a user zooms', () => {
    fc.assert(
      fc.property(
        someRange,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(0.5, 2),
        (range, share, factor) => {
          const around = range.from + (range.to - range.from) * share;
          const now = zoomRange(range, factor, around);
          expect(now.to - now.from).toBeCloseTo((range.to - range.from) * factor, 1);
          expect(percentAt(now, around)).toBeCloseTo(percentAt(range, around), 1);
        },
      ),
    );
  });

  it('never becomes shorter than ten milliseconds', () => {
    let range = HOUR;
    for (let times = 0; times < 60; times += 1) range = zoomRange(range, 0.5);
    expect(range.to - range.from).toBeCloseTo(10, 5);
  });

  it('can be moved by a share of its length', () => {
    expect(panRange(HOUR, -0.25)).toEqual({ from: -900_000, to: 2_700_000 });
  });

  it('contains given instants with a margin, also a single instant', () => {
    expect(rangeAround([0, 100_000])).toEqual({ from: -3000, to: 103_000 });
    expect(rangeAround([5000])).toEqual({ from: 4000, to: 6000 });
  });
});

describe('the marks of the time axis', () => {
  it('are round instants', () => {
    expect(axisTicks(HOUR, 8)).toEqual([0, 1, 2, 3, 4, 5, 6].map((ten) => ten * 600_000).slice(0, 7));
  });

  it('are within the range and at most eight, whatever the range is', () => {
    fc.assert(
      fc.property(someRange, (range) => {
        const ticks = axisTicks(range, 8);
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.length).toBeLessThanOrEqual(8);
        for (const tick of ticks) expect(tick >= range.from && tick <= range.to).toBe(true);
      }),
    );
  });
});

describe('a duration between two marks of the time axis', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [90_061_000, '1 d 1 h'],
  ])('has at most two units: %i ms is %s', (milliseconds, message) => {
    expect(duration(milliseconds)).toBe(message);
  });
});
