import { describe, expect, it } from '@jest/globals';
import { parseIndexes } from '../../workflows/batch/completion-indexes.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { acknowledge, grantedTo, setRooms, showKept } from './index-acknowledgements.ts';

/** The controller of a member acknowledges what it was sent, once; it keeps the indexes that have pods (J-17.4). */
function acknowledgeOnce(
  world: PlacedWorld,
  cluster: string,
  { begun = '', active, done }: { begun?: string; active: number; done?: string },
): void {
  const { name = '' } = world.grants().find((each) => each.cluster === cluster) ?? {};
  const at = [cluster, name] as const;
  const status = {
    active,
    ready: active,
    ...(done !== undefined && { completedIndexes: done, succeeded: 4 }),
  };
  const [number = ''] = grantedTo(world, at).split(':');
  const before = world.job(cluster, name).status?.conditions?.[0]?.message ?? '';
  // What was acknowledged stays until the next number (`heededGrant`).
  if (before.startsWith(`${number}:`)) showKept(world, at, before, status);
  else acknowledge(world, at, begun, status);
}

describe('a member of a spread Job whose pods were deleted because of a change of the Job (J-17.4)', () => {
  it('gives the indexes of these pods back to a cluster that may run pods, after the author lowered the parallelism', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'room' }, spec: { completions: 8 } });
    setRooms(world, 4, 0);
    await world.work();
    acknowledgeOnce(world, 'west', { begun: '0-3', active: 4 });
    await world.work();
    // Its share becomes smaller; it keeps 0-3, which have pods, and gives up the others.
    setRooms(world, -3, 3);
    for (let times = 0; times < 20; times += 1) {
      await world.workFor(3);
      acknowledgeOnce(world, 'west', { begun: '0-3', active: 4 });
    }
    expect(world.grants()[0]?.part?.indexes).toBe('0-3');
    // The author lowers the parallelism to what north alone can run: west gets 0, and its pods are ended.
    world.edit(({ spec }) => void (spec.parallelism = 1));
    await world.workFor(5);
    expect(world.job('west', 'pi').spec.parallelism).toBe(0);
    setRooms(world, 0, 3);
    acknowledgeOnce(world, 'west', { active: 0 });
    await world.workFor(60);
    // North has got 4-7, and finishes them.
    acknowledgeOnce(world, 'north', { active: 1 });
    await world.workFor(60);
    acknowledgeOnce(world, 'north', { active: 0, done: '4-7' });
    for (let times = 0; times < 60; times += 1) {
      await world.workFor(10);
      acknowledgeOnce(world, 'west', { active: 0 });
    }
    // Ten minutes later: west may run no pod, and has none; north may run one, and has nothing to do.
    expect(world.state().shares?.pods).toEqual({ north: 1 });
    expect(world.job('west', 'pi').spec.parallelism).toBe(0);
    const north = world.grants().find(({ cluster }) => cluster === 'north')?.part?.indexes ?? '';
    expect(parseIndexes(north, 4)).not.toEqual([]);
  });

  it('does not count these indexes as begun any more after the author suspended the Job', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'room' }, spec: { completions: 8 } });
    setRooms(world, 4, 0);
    await world.work();
    acknowledgeOnce(world, 'west', { begun: '0-3', active: 4 });
    await world.work();
    setRooms(world, -3, 3);
    for (let times = 0; times < 20; times += 1) {
      await world.workFor(3);
      acknowledgeOnce(world, 'west', { begun: '0-3', active: 4 });
    }
    expect(world.grants()[0]?.part).toMatchObject({ indexes: '0-3', begun: expect.anything() });
    world.edit(({ spec }) => void (spec.suspend = true));
    await world.workFor(5);
    expect(world.job('west', 'pi').spec.suspend).toBe(true);
    expect(world.grants()[0]?.part).not.toHaveProperty('begun');
  });
});
