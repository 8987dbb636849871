import { differences, percentile, spreads } from './figures.ts';

describe('a percentile', () => {
  it('is a value, or lies between two', () => {
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(percentile([3, 1, 2], 0.5)).toBe(2);
    expect(percentile([1, 2, 3, 4, 5], 1)).toBe(5);
    expect(percentile([7], 0.99)).toBe(7);
  });

  it('of an empty list is not a number', () => expect(percentile([], 0.5)).toBeNaN());
});

describe('the rounds of a side', () => {
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

  it('count as 0 where nothing of a figure happened', () => {
    expect(spreads(rounds, 'a')['retries']).toEqual({ median: 0, lowest: 0, highest: 4 });
  });
});

describe('counters that were read twice', () => {
  it('give what was added, also to one that was not there at first', () => {
    expect(differences({ requests: 5 }, { requests: 9, records: 2 })).toEqual({ requests: 4, records: 2 });
  });
});
