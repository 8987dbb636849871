import { describe, expect, it } from '@jest/globals';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const STARTED = '2026-03-01T12:00:00Z';
const SUSPENDED: JobStatus = {
  ready: 0,
  terminating: 0,
  conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }],
};
const DRAINED = { cordoned: { by: 'anna', at: 0, drain: true } } as const;

function scale(world: PlacedWorld, completions: number): void {
  world.edit(({ spec }) => void (spec.completions = spec.parallelism = completions));
}

describe('a placed Job that has moved, whose completions were lowered and raised again, and that moves again (J-5.36)', () => {
  it('does not count in the third cluster the index that it lost in the second cluster', async () => {
    const world = aPlacedWorld({ clusters: ['west', 'north', 'south'] });
    await world.work();
    // Index 3 has succeeded in west.
    const done: JobStatus = { succeeded: 1, completedIndexes: '3' };
    world.shows('west', 'pi', { active: 3, ready: 3, startTime: STARTED, ...done });
    await world.work();
    world.availability = { west: DRAINED };
    await world.work();
    world.shows('west', 'pi', { ...SUSPENDED, ...done });
    await world.workFor(20);
    world.shows('north', 'pi-m2', { ...world.job('north', 'pi-m2').status, ...SUSPENDED });
    await world.work();
    world.shows('north', 'pi-m2', { active: 3, ready: 3, startTime: STARTED, ...done });
    await world.work();
    // The author makes it smaller: index 3 is no index of it any more; then larger again: index 3 runs again.
    scale(world, 2);
    await world.work();
    delete world.job('north', 'pi-m2').status?.completedIndexes;
    world.shows('north', 'pi-m2', { active: 2, ready: 2, startTime: STARTED, succeeded: 0 });
    await world.work();
    scale(world, 4);
    await world.work();
    world.shows('north', 'pi-m2', { active: 4, ready: 4, startTime: STARTED, succeeded: 0 });
    await world.work();
    expect(world.job('east', 'pi').status?.completedIndexes).toBeUndefined();
    // North is drained while all four run.
    world.availability = { west: DRAINED, north: DRAINED };
    await world.work();
    world.shows('north', 'pi-m2', SUSPENDED);
    await world.workFor(30);
    expect(world.job('south', 'pi-m3').status?.completedIndexes ?? 'none').toBe('none');
  });
});
