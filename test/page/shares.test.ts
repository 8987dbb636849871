import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { ListedPlacement } from '../../page/api/rows.ts';
import { countInSet, unionSets } from '../../page/job/placement/index-sets.ts';
import { toShares, shareText } from '../../page/job/placement/shares.ts';
import { formatIndexes, toIndexes, countIndexes } from '../../workflows/batch/completion-indexes.ts';
import { after, START } from './a-job.ts';

describe('the sets of indexes on the page', () => {
  it('have the same union and size as in the core', () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.nat(30))), (some) => {
        const all = toIndexes([...new Set(some.flat())]);
        const joined = unionSets(some.map((numbers) => formatIndexes(toIndexes(numbers))));
        expect(joined).toBe(formatIndexes(all));
        expect(countInSet(joined)).toBe(countIndexes(all));
      }),
    );
  });
});

describe('the indexes that the clusters of a spread Job had', () => {
  type Granted = NonNullable<ListedPlacement['granted']>[number];
  const held = (indexes: string, from: number, to: number | null = null): Granted => ({
    indexes,
    since: after(from),
    until: to === null ? null : after(to),
    decision: 'd',
  });
  const grant = (placed_in: string, ...of: Granted[]): ListedPlacement =>
    ({ placed_in, granted: of }) as unknown as ListedPlacement;

  const [north, west] = toShares([
    grant('west', held('0,1', 0), held('2,3', 0, 40)),
    grant('north', held('4,5', 2), held('2,3', 41)),
  ]);
  if (north === undefined || west === undefined) throw new Error('a cluster is missing');

  it('are, for each cluster, a list of sets, each with its start and end', () => {
    expect(west).toEqual({
      cluster: 'west',
      steps: [
        { from: START, to: START + 40_000, indexes: '0-3', count: 4 },
        { from: START + 40_000, to: null, indexes: '0,1', count: 2 },
      ],
    });
    expect(north.steps.map(({ indexes, to }) => [indexes, to])).toEqual([
      ['4,5', START + 41_000],
      ['2-5', null],
    ]);
  });

  it('are those of all members that a cluster had, and are none while it had no member', () => {
    const [share] = toShares([grant('west', held('0-3', 0, 10)), grant('west', held('2', 20, 30))]);
    expect(share?.steps).toEqual([
      { from: START, to: START + 10_000, indexes: '0-3', count: 4 },
      { from: START + 20_000, to: START + 30_000, indexes: '2', count: 1 },
    ]);
  });

  it('are an empty list for a Job that is not spread', () => {
    expect(toShares([{ placed_in: 'west', granted: null } as ListedPlacement])).toEqual([]);
  });

  it('are shown as text, up to an instant or in all', () => {
    expect(shareText(west, null)).toBe('west had the indexes 0-3, then 0,1');
    expect(shareText(west, START + 10_000)).toBe('west had the indexes 0-3');
    expect(shareText(north, START + 1000)).toBe('north had no index');
    const [many] = toShares([
      grant('west', ...[0, 1, 2, 3, 4].map((at) => held(String(at * 2), at * 10, at * 10 + 5))),
    ]);
    expect(many && shareText(many, null)).toBe(
      'west had the indexes at last 2, then 4, then 6, then 8, then none',
    );
  });
});
