import { describe, expect, it } from '@jest/globals';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const STARTED = { startTime: '2026-03-01T12:00:00Z' };

/** West was declared lost while it ran its indexes, and is back: it has finished some of them after all. North has them since. */
async function aReturnedMember(status: JobStatus): Promise<PlacedWorld> {
  const world = aPlacedWorld({
    annotations: { spread: 'price' },
    spec: { completions: 4, parallelism: 2 },
    clusters: ['west', 'north', 'south'],
  });
  world.candidates = [{ cluster: 'west', room: 9, price: 1 }];
  world.leftBy = { 1: { failures: {}, uncountedPodCount: 0 } };
  await world.work();
  world.shows('west', 'pi', { ...STARTED, active: 2, ready: 2 });
  await world.work();
  world.availability = { west: { lost: { by: 'anna', at: world.now } } };
  world.candidates = [{ cluster: 'north', room: 9, price: 1 }];
  await world.work();
  // The ingester of west answers before a pod in north is counted.
  world.availability = {};
  world.shows('west', 'pi', { ...STARTED, ...status });
  return world;
}

describe('a member whose pods are not yet known, and whose indexes a returned member has finished (J-16.18)', () => {
  it('may still run these indexes, so that the placed Job is not complete yet (J-17.6)', async () => {
    const world = await aReturnedMember({ succeeded: 4, completedIndexes: '0-3' });
    const { name = '' } = world.grants().find(({ cluster }) => cluster === 'north') ?? {};
    await world.work();
    // North runs them: its first status was on its way.
    world.shows('north', name, { ...STARTED, active: 2, ready: 2 });
    const types = world.job('east', 'pi').status?.conditions?.map(({ type }) => type);
    expect(types).not.toContain('Complete');
  });
});
