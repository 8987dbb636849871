import { describe, expect, it } from '@jest/globals';
import { formatIndexes, intersection, parseIndexes } from '../../workflows/batch/completion-indexes.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { grantedTo, showKept } from './index-acknowledgements.ts';

const SIZE = 40;

function acknowledges(world: PlacedWorld, at: readonly [string, string], kept: string, done = ''): void {
  showKept(world, at, kept, { active: 4, ready: 4, ...(done !== '' && { completedIndexes: done }) });
}

function annotation(world: PlacedWorld, cluster: string, name: string): string {
  return grantedTo(world, [cluster, name]);
}

function mayRun(world: PlacedWorld, cluster: string, name: string) {
  return parseIndexes(annotation(world, cluster, name).split(':')[1] ?? '', SIZE);
}

describe('a member that keeps fewer indexes than it was granted, and needs more work (J-17.3, J-17.4)', () => {
  it('is not granted indexes again that it does not keep, once another member may run them', async () => {
    const world = aPlacedWorld({
      annotations: { spread: 'even' },
      spec: { completions: SIZE, parallelism: 8 },
    });
    await world.work();
    const nameIn = (of: string): string => world.grants().find(({ cluster }) => cluster === of)?.name ?? '';
    const [west, north] = [nameIn('west'), nameIn('north')];
    acknowledges(world, ['north', north], annotation(world, 'north', north));
    acknowledges(world, ['west', west], annotation(world, 'west', west));
    await world.work();
    expect(annotation(world, 'west', west)).toBe('1:0-9');
    // It has finished six, so it lacks work; and its status, of a restored copy, keeps only 0-7 of 0-9 (`continues-fewer` of parts).
    acknowledges(world, ['west', west], '1:0-7', '0-5');
    await world.work();
    // North asks for more.
    acknowledges(world, ['north', north], annotation(world, 'north', north), '10-16');
    await world.work();
    const both = intersection(mayRun(world, 'west', west), mayRun(world, 'north', north));
    // Neither is stopped, neither has been asked to give them up, and both are to run them.
    expect(formatIndexes(both)).toBe('');
  });
});
