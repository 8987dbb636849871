import { describe, expect, it } from '@jest/globals';
import { divideIntoTasks } from '../../services/projector/rebuild/threads.ts';

describe('the shares of partitions that several threads rebuild', () => {
  it('have about the same number of records each, and together contain every partition', () => {
    const ends = [900n, 100n, 300n, 500n, 400n, 200n];
    const threads = divideIntoTasks(new Map(ends.entries()), 2);
    const sizes = threads.map((share) => [...share.values()].reduce((sum, end) => sum + end, 0n));
    expect(sizes).toEqual([1200n, 1200n]);
    expect(new Set(threads.flatMap((share) => [...share.keys()]))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  });

  it('are fewer than requested when only few partitions have records', () => {
    const ends = [0n, 7n, 0n];
    expect(divideIntoTasks(new Map(ends.entries()), 4)).toEqual([new Map([[1, 7n]])]);
  });
});
