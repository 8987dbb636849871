import { latestFor } from './outages.ts';

describe('the latest instant at which something due may happen', () => {
  it('is 2.5 s later without an outage', () => {
    expect(latestFor('a', 100_000, [])).toBe(102_500);
  });

  it('is 20 s after the end of an outage in which it was due', () => {
    expect(latestFor('a', 100_000, [{ from: 99_000, to: 104_000 }])).toBe(124_000);
  });

  it('is not moved by an outage from which everything had recovered', () => {
    expect(latestFor('a', 100_000, [{ from: 70_000, to: 80_000 }])).toBe(102_500);
  });

  it('is not moved by an outage that began later', () => {
    expect(latestFor('a', 100_000, [{ from: 102_501, to: 110_000 }])).toBe(102_500);
  });

  it('is moved by an outage that began during the recovery from another', () => {
    const outages = [
      { from: 110_000, to: 115_000 },
      { from: 99_000, to: 104_000 },
    ];
    expect(latestFor('a', 100_000, outages)).toBe(135_000);
  });

  it('is not moved by what concerns another Job', () => {
    expect(latestFor('a', 100_000, [{ from: 99_000, to: 104_000, job: 'b' }])).toBe(102_500);
    expect(latestFor('b', 100_000, [{ from: 99_000, to: 104_000, job: 'b' }])).toBe(124_000);
  });
});
