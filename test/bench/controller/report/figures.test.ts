import { differences, percentile, spreads } from './figures.ts';

describe('a percentile of measured values', () => {
  it('is a measured value, or lies between two measured values', () => {
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(percentile([3, 1, 2], 0.5)).toBe(2);
    expect(percentile([1, 2, 3, 4, 5], 1)).toBe(5);
    expect(percentile([7], 0.99)).toBe(7);
  });

  it('is not a number when the list is empty', () => expect(percentile([], 0.5)).toBeNaN());
});

describe('the benchmark rounds of one measured controller', () => {
  const rounds = [
    { side: 'a', round: 1, figures: { speed: 1 } },
    { side: 'b', round: 1, figures: { speed: 50 } },
    { side: 'a', round: 2, figures: { speed: 3, retries: 4 } },
    { side: 'a', round: 3, figures: { speed: 8 } },
  ];

  it('give the median and the range of each figure', () => {
    expect(spreads(rounds, 'a')['speed']).toEqual({ median: 3, lowest: 1, highest: 8 });
    expect(spreads(rounds, 'b')['speed']).toEqual({ median: 50, lowest: 50, highest: 50 });
  });

  it('count a figure as 0 when no value of the figure was measured', () => {
    expect(spreads(rounds, 'a')['retries']).toEqual({ median: 0, lowest: 0, highest: 4 });
  });
});

describe('counters that were read before and after a round', () => {
  it('give the difference, also for a counter that did not exist at first', () => {
    expect(differences({ requests: 5 }, { requests: 9, records: 2 })).toEqual({ requests: 4, records: 2 });
  });
});
