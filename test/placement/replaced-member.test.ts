import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { podOfFirst } from './lost-creation.ts';

const RUNS = { active: 2, ready: 2, startTime: '2026-03-01T12:00:00Z' };
const SUSPENDED = { conditions: [{ type: 'Suspended', status: 'True' as const }] };

/** The member runs in west; another client deletes it, and another with its mark is there. */
async function aReplacedMember({
  isSeen,
  epoch = 0,
  annotations = {},
}: {
  isSeen: boolean;
  epoch?: number;
  annotations?: Record<string, string>;
}): Promise<PlacedWorld> {
  const world = aPlacedWorld({ annotations });
  await world.work();
  world.shows('west', 'pi', RUNS);
  await world.work();
  const west = world.api('west');
  if (epoch === 0) west.pods.push(podOfFirst());
  const again = structuredClone(world.job('west', 'pi'));
  west.bump(again);
  const { resourceVersion } = again.metadata;
  if (isSeen)
    world.fold({ type: 'member.deleted', cluster: 'west', uid: 'west-1', name: 'pi', resourceVersion });
  again.metadata.uid = 'west-2';
  west.bump(again);
  again.status = {};
  west.jobs.set('pi', again);
  world.observe('west', 'pi', epoch);
  world.leftBy = { 1: { failures: {}, uncountedPodCount: 0 } };
  return world;
}

/** The second member is stopped, and its controller says so. */
async function stopped(world: PlacedWorld, epoch = 0): Promise<string[]> {
  const sent = await world.work();
  expect(sent).toContain('ChangeMember west/pi (suspend)');
  world.shows('west', 'pi', SUSPENDED, epoch);
  return [...sent, ...(await world.workFor(20))];
}

describe('a member that a second Job with its grant annotation has replaced (J-16.19)', () => {
  it.each([true, false])(
    'retains its grant until its own pods have ended, with its deletion observed: %j',
    async (isSeen) => {
      const world = await aReplacedMember({ isSeen });
      const sent = await stopped(world);
      expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
      world.api('west').pods.length = 0;
      expect(await world.workFor(120)).toContain('EndGrant west/pi (stopped)');
    },
  );

  it('retains its grant until its own pods have ended, also when the second Job is deleted', async () => {
    const world = await aReplacedMember({ isSeen: true });
    world.removes('west', 'pi');
    expect(await world.workFor(60)).not.toContain('EndGrant west/pi (gone)');
    world.api('west').pods.length = 0;
    expect(await world.workFor(120)).toContain('EndGrant west/pi (gone)');
  });

  it('retains its grant until its own pods have ended, also when the second Job ends with too few successes', async () => {
    const world = await aReplacedMember({ isSeen: true });
    const conditions = [{ type: 'Complete', status: 'True' as const }];
    world.shows('west', 'pi', { conditions, completedIndexes: '0', succeeded: 1 });
    expect(await world.workFor(60)).not.toContain('EndGrant west/pi (ended)');
    world.api('west').pods.length = 0;
    expect(await world.workFor(120)).toContain('EndGrant west/pi (ended)');
  });

  it('retains its grant until its own pods have ended, also in a spread Job', async () => {
    const world = await aReplacedMember({ isSeen: true, annotations: { spread: 'even' } });
    const sent = await stopped(world);
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
    world.api('west').pods.length = 0;
    expect(await world.workFor(120)).toContain('EndGrant west/pi (stopped)');
  });

  it('retains its grant after a restore for a minute and the grace period, because its pods may run without objects', async () => {
    const world = await aReplacedMember({ isSeen: false, epoch: 1 });
    const sent = await stopped(world, 1);
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
    expect(await world.workFor(50)).not.toContain('EndGrant west/pi (stopped)');
    expect(await world.workFor(120)).toContain('EndGrant west/pi (stopped)');
  });
});

describe('a member that was created after the restore of its cluster', () => {
  it('loses its grant as soon as no pod of it is listed, because none can run without an object', async () => {
    const world = aPlacedWorld();
    world.epochs = { west: 1 };
    await world.work();
    world.shows('west', 'pi', RUNS, 1);
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    expect(await world.work()).toContain('ChangeMember west/pi (suspend)');
    world.shows('west', 'pi', SUSPENDED, 1);
    expect(await world.workFor(5)).toContain('EndGrant west/pi (stopped)');
  });
});

describe('the counters of a replaced member that its home had not recorded (J-16.19)', () => {
  const DONE = { ...RUNS, succeeded: 2, completedIndexes: '0,1', failed: 3 };

  /** The second member has done nothing, and is stopped. */
  async function moved(annotations: Record<string, string> = {}): Promise<PlacedWorld> {
    const world = aPlacedWorld({ annotations, ...('spread' in annotations && { clusters: ['west'] }) });
    world.leftBy = { 1: { failures: {}, uncountedPodCount: 0 } };
    await world.work();
    const [east, west] = [world.api('east'), world.api('west')];
    east.before = ({ path }) => {
      if (path.includes('/status')) throw new UnavailableError('the home does not answer');
    };
    world.shows('west', 'pi', DONE);
    await world.work();
    const again = structuredClone(world.job('west', 'pi'));
    again.metadata.uid = 'west-2';
    again.status = {};
    west.bump(again);
    west.jobs.set('pi', again);
    world.observe('west', 'pi');
    await stopped(world);
    return world;
  }

  it('are continued by the next member', async () => {
    const world = await moved();
    await world.workFor(60);
    const { continues, member } = world.grants().at(-1) ?? {};
    expect(continues).toMatchObject({ succeeded: 2, completedIndexes: '0,1', failed: 3 });
    expect(member?.status).toMatchObject({ succeeded: 2, completedIndexes: '0,1', failed: 3 });
  });

  it.each([{}, { spread: 'even' }])('are in the status of the placed Job later: %j', async (annotations) => {
    const world = await moved(annotations);
    world.api('east').before = () => {};
    await world.workFor(60);
    expect(world.job('east', 'pi').status).toMatchObject({
      succeeded: 2,
      completedIndexes: '0,1',
      failed: 3,
    });
  });

  it('lose the indexes that the Job loses when its completions are lowered and raised again (J-5.36)', async () => {
    const world = await moved({ spread: 'even' });
    for (const size of [1, 4])
      world.edit(({ spec }) => {
        spec.parallelism = spec.completions = size;
      });
    world.api('east').before = () => {};
    await world.workFor(60);
    expect(world.job('east', 'pi').status?.completedIndexes).toBe('0');
  });

  it('prevent that completed indexes of a spread Job are granted to another member', async () => {
    const world = await moved({ spread: 'even' });
    await world.workFor(60);
    expect(world.grants().map(({ part }) => part?.indexes)).toEqual(['0-3', '2,3']);
  });
});
