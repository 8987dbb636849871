import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  contains,
  formatIndexes,
  toIndexes,
  lowestOutside,
  missingIndexes,
  countOverlap,
  parseIndexes,
  countIndexes,
  union,
} from '../../workflows/batch/completion-indexes.ts';

const sets = fc.array(fc.nat(60), { maxLength: 40 });

describe('the index strings of a Job (J-1.30, J-1.32)', () => {
  it.each([
    [[1, 3, 4, 5, 7], '1,3-5,7'],
    [[0, 1], '0,1'],
    [[2, 0, 1], '0-2'],
    [[], ''],
  ])('have the form that Kubernetes uses: the indexes %j become "%s"', (numbers, text) => {
    expect(formatIndexes(toIndexes(numbers))).toBe(text);
  });

  it.each([
    ['x,1,y-3,5-z', 10, '1'],
    ['0-2,7,12-15', 10, '0-2,7'],
    ['0-2,7-12', 10, '0-2,7-9'],
    ['0,1,2-3', 10, '0-3'],
    ['1-3-9', 10, '1-3'],
    ['-1,4', 10, '4'],
    ['0-4', 0, ''],
    ['', 10, ''],
    ['1-4,5-z,9', 10, '1-4,9'],
    ['5-3,7', 10, '7'],
    ['10,3', 10, ''],
    ['12,3', 10, ''],
    ['0x2,1e0,4', 10, '4'],
    [' 1,2', 10, '2'],
    ['+3', 10, '3'],
  ])(
    'are read without what is not an index of the Job: "%s" in a Job of %i indexes gives "%s"',
    (text, completions, read) => {
      expect(formatIndexes(parseIndexes(text, completions))).toBe(read);
    },
  );

  it('give the same indexes when they are read again', () => {
    fc.assert(
      fc.property(sets, (numbers) => {
        const indexes = toIndexes(numbers);
        expect(parseIndexes(formatIndexes(indexes), 100)).toEqual(indexes);
      }),
    );
  });
});

describe('sets of indexes in the core', () => {
  it('have the same union, size, members, missing indexes and overlap as plain sets of numbers', () => {
    fc.assert(
      fc.property(sets, sets, fc.nat(60), (a, b, index) => {
        const [one, other] = [toIndexes(a), toIndexes(b)];
        expect(union(one, other)).toEqual(toIndexes([...a, ...b]));
        expect(countIndexes(one)).toBe(new Set(a).size);
        expect(contains(one, index)).toBe(a.includes(index));
        const others = Array.from({ length: 50 }, (_none, each) => each).filter((each) => !a.includes(each));
        expect(missingIndexes(one, 50)).toEqual(toIndexes(others));
        expect(countOverlap(one, other)).toBe(new Set(a.filter((each) => b.includes(each))).size);
      }),
    );
  });

  it('give the lowest indexes that are in neither of two sets, up to a given number', () => {
    fc.assert(
      fc.property(sets, sets, fc.nat(20), (done, held, count) => {
        const all = Array.from({ length: 50 }, (_none, index) => index);
        const free = all.filter((index) => !done.includes(index) && !held.includes(index));
        const found = lowestOutside(toIndexes(done), 50, count, (index) => held.includes(index));
        expect(found).toEqual(free.slice(0, count));
      }),
    );
  });
});
