import { describe, expect, it } from '@jest/globals';
import { singular } from '../../workflows/history/timeline/singular.ts';

describe('recorded words with a number', () => {
  it.each([
    ['1 failed pods, the limit is 0', '1 failed pod, the limit is 0'],
    ['2 failed pods, the limit is 1', '2 failed pods, the limit is 1'],
    ['11 failed pods, the limit is 1', '11 failed pods, the limit is 1'],
    ['1 container restarts, the limit is 0', '1 container restart, the limit is 0'],
    ['1 failed indexes, the limit is 0', '1 failed index, the limit is 0'],
  ])('%s reads %s', (recorded, shown) => {
    expect(singular(recorded)).toBe(shown);
  });
});
