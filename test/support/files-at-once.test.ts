import { describe, expect, it } from '@jest/globals';
import { filesAtOnce } from './files-at-once.ts';

const GB = 1e9;

describe('the number of test files that run on servers at the same time', () => {
  it.each([
    ['the number that keeps the cores busy', { cores: 2, memory: 24 * GB }, 3],
    ['the number that fits into the memory', { cores: 4, memory: 8 * GB }, 2],
    ['at least one', { cores: 1, memory: 1 * GB }, 1],
    ['at most the number of files with separate ports', { cores: 64, memory: 256 * GB }, 5],
  ])('depends on the cores and the memory of the machine: %s', (_what, machine, expected) => {
    expect(filesAtOnce(machine)).toBe(expected);
  });
});
