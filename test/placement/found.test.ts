import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { isOver } from '../../workflows/placement/decide/end.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' };
const IS_SUSPENDED = { conditions: [{ type: 'Suspended', status: 'True' }] };
const COMPLETE = {
  succeeded: 4,
  completedIndexes: '0-3',
  startTime: '2026-03-01T12:00:00Z',
  completionTime: '2026-03-01T12:01:00Z',
  conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' })),
};

async function aJobInWest(annotations: Record<string, string> = {}): Promise<PlacedWorld> {
  const world = aPlacedWorld({ annotations });
  await world.work();
  world.shows('west', 'pi', RUNS);
  await world.work();
  return world;
}

function placedIn({ status }: Job): unknown {
  return status?.conditions?.find(({ type }) => type === 'jobledger.dev/Placed');
}

describe('a placed Job that is deleted while the cluster of its member is lost (J-16.17)', () => {
  it('loses its finalizer at once, and its member is deleted when the cluster answers again', async () => {
    const world = await aJobInWest();
    world.availability = { west: { silentSince: world.now, lost: { by: 'ann', at: world.now } } };
    world.edit(({ metadata }) => {
      metadata.deletionTimestamp = new Date(world.now).toISOString();
    });
    expect(await world.work()).toEqual(['RemoveFinalizer']);
    world.fold({ type: 'job.deleted', resourceVersion: '99999' });
    expect(isOver(world.state(), { clusters: world.availability })).toBe(false);
    world.api('west').before = () => {
      throw new UnavailableError('no route to host');
    };
    const asked = await world.workFor(7 * 24 * 3600);
    expect(asked.filter((each) => each !== 'DeleteMember west/pi')).toEqual([]);
    expect(asked.length).toBeLessThan(20);
    world.api('west').before = () => {};
    await world.workFor(25 * 3600);
    expect([...world.api('west').jobs.keys()]).toEqual([]);
    expect(isOver(world.state(), { clusters: world.availability })).toBe(true);
  });
});

describe('a complete placed Job that had moved from a cluster that did not answer (J-16.18)', () => {
  it.each(['MoveAfter=1s', 'Wait'])(
    'has its old member stopped when the cluster answers again (%s)',
    async (text) => {
      const world = await aJobInWest({ 'if-cluster-is-lost': text });
      world.silences('west', true);
      if (text === 'Wait')
        world.availability = { west: { ...world.availability.west, lost: { by: 'ann', at: world.now } } };
      world.pass(2);
      await world.work();
      world.shows('north', 'pi-m2', IS_SUSPENDED);
      await world.work();
      world.shows('north', 'pi-m2', COMPLETE);
      await world.work();
      expect(placedIn(world.job('east', 'pi'))).toMatchObject({
        status: 'True',
        reason: 'Placed',
        message: 'runs in the cluster north as team/pi-m2',
      });
      expect(isOver(world.state(), { clusters: world.availability })).toBe(false);
      world.silences('west', false);
      world.pass(2);
      expect(await world.work()).toContain('LookUpMember west/pi');
      expect(world.job('west', 'pi').spec.suspend).toBe(true);
      expect(world.api('east').events).toContainEqual(expect.objectContaining({ reason: 'Overlap' }));
      expect(isOver(world.state(), {})).toBe(true);
    },
  );
});

describe('a placed Job whose member completes while the member is being stopped (J-16.8)', () => {
  it('shows the reason Placed with the cluster in which it ran, not the reason Moving', async () => {
    const world = await aJobInWest();
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    expect(placedIn(world.job('east', 'pi'))).toMatchObject({ reason: 'Moving' });
    world.shows('west', 'pi', COMPLETE);
    await world.work();
    expect(placedIn(world.job('east', 'pi'))).toMatchObject({
      status: 'True',
      reason: 'Placed',
      message: 'runs in the cluster west as team/pi',
    });
  });
});
