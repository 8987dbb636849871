import { describe, expect, it } from '@jest/globals';
import { formatIndexes, parseIndexes, union } from '../../workflows/job/definitions/completion-indexes.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

/** The controller of a member acknowledges what it was sent, once; it keeps the indexes that have pods (J-17.4). */
function acknowledge(
  world: PlacedWorld,
  cluster: string,
  { begun = '', active, done }: { begun?: string; active: number; done?: string },
): void {
  const { name = '' } = world.grants().find((each) => each.cluster === cluster) ?? {};
  const { metadata, status } = world.job(cluster, name);
  const [number, asked = ''] = (metadata.annotations?.['jobledger.dev/indexes'] ?? '').split(':');
  // What was acknowledged stays until the next number (`heededGrant`).
  const [, before] = status?.conditions?.[0]?.message?.split(`${number}:`) ?? [];
  const kept = before ?? formatIndexes(union(parseIndexes(asked, 8), parseIndexes(begun, 8)));
  world.shows(cluster, name, {
    active,
    ready: active,
    startTime: '2026-03-01T12:00:00Z',
    ...(done !== undefined && { completedIndexes: done, succeeded: 4 }),
    conditions: [
      { type: 'jobledger.dev/Indexes', status: 'True', reason: 'Granted', message: `${number}:${kept}` },
    ],
  });
}

describe('a member whose pods of some indexes were ended, because the author of the Job had lowered the parallelism (J-17.4)', () => {
  it('gives them up to the cluster that may run pods: they do not stay for ever where none may run', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'room' }, spec: { completions: 8 } });
    const rooms = (west: number, north: number): void =>
      void (world.candidates = [
        { cluster: 'west', room: west, price: 1 },
        { cluster: 'north', room: north, price: 1 },
      ]);
    rooms(4, 0);
    await world.work();
    acknowledge(world, 'west', { begun: '0-3', active: 4 });
    await world.work();
    // Its share becomes smaller; it keeps 0-3, which have pods, and gives up the others.
    rooms(-3, 3);
    for (let times = 0; times < 20; times += 1) {
      await world.workFor(3);
      acknowledge(world, 'west', { begun: '0-3', active: 4 });
    }
    expect(world.grants()[0]?.part?.indexes).toBe('0-3');
    // The author lowers the parallelism to what north alone can run: west gets 0, and its pods are ended.
    world.edit(({ spec }) => void (spec.parallelism = 1));
    await world.workFor(5);
    expect(world.job('west', 'pi').spec.parallelism).toBe(0);
    rooms(0, 3);
    acknowledge(world, 'west', { active: 0 });
    await world.workFor(60);
    // North has got 4-7, and finishes them.
    acknowledge(world, 'north', { active: 1 });
    await world.workFor(60);
    acknowledge(world, 'north', { active: 0, done: '4-7' });
    for (let times = 0; times < 60; times += 1) {
      await world.workFor(10);
      acknowledge(world, 'west', { active: 0 });
    }
    // Ten minutes later: west may run no pod, and has none; north may run one, and has nothing to do.
    expect(world.state().shares?.pods).toEqual({ north: 1 });
    expect(world.job('west', 'pi').spec.parallelism).toBe(0);
    const north = world.grants().find(({ cluster }) => cluster === 'north')?.part?.indexes ?? '';
    expect(parseIndexes(north, 4)).not.toEqual([]);
  });
});
