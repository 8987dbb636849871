import { describe, expect, it } from '@jest/globals';
import { filesAtOnce } from './files-at-once.ts';

const GB = 1e9;

describe('the number of test files that run on servers at the same time', () => {
  it.each([
    ['the number that keeps the cores busy', { cores: 2, memory: 24 * GB }, 3],
    ['the number that fits into the memory', { cores: 4, memory: 8 * GB }, 2],
    ['one at least', { cores: 1, memory: 1 * GB }, 1],
    ['as many as have ports of their own, at most', { cores: 64, memory: 256 * GB }, 5],
  ])('is %s', (_what, machine, expected) => {
    expect(filesAtOnce(machine)).toBe(expected);
  });
});
