import { latestFor } from './outages.ts';

describe('the latest permitted instant of a due action', () => {
  it('is 2.5 s after its due time without an outage', () => {
    expect(latestFor('a', 100_000, [])).toBe(102_500);
  });

  it('is 20 s after the end of an outage that contains its due time', () => {
    expect(latestFor('a', 100_000, [{ from: 99_000, to: 104_000 }])).toBe(124_000);
  });

  it('is 2.5 s after its due time when an earlier outage had ended 20 s before it', () => {
    expect(latestFor('a', 100_000, [{ from: 70_000, to: 80_000 }])).toBe(102_500);
  });

  it('is 2.5 s after its due time when an outage begins only after that', () => {
    expect(latestFor('a', 100_000, [{ from: 102_501, to: 110_000 }])).toBe(102_500);
  });

  it('is 20 s after the end of a second outage that began within 20 s after the first', () => {
    const outages = [
      { from: 110_000, to: 115_000 },
      { from: 99_000, to: 104_000 },
    ];
    expect(latestFor('a', 100_000, outages)).toBe(135_000);
  });

  it('is 2.5 s after its due time when the outage concerned only another Job', () => {
    expect(latestFor('a', 100_000, [{ from: 99_000, to: 104_000, job: 'b' }])).toBe(102_500);
    expect(latestFor('b', 100_000, [{ from: 99_000, to: 104_000, job: 'b' }])).toBe(124_000);
  });
});
