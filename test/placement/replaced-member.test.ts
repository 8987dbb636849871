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

describe('a member that another Job with its annotation has replaced (J-16.19)', () => {
  it.each([true, false])(
    'keeps the Job in its cluster until its pods have ended, whether its deletion is observed: %j',
    async (isSeen) => {
      const world = await aReplacedMember({ isSeen });
      const sent = await stopped(world);
      expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
      world.api('west').pods.length = 0;
      expect(await world.workFor(120)).toContain('EndGrant west/pi (stopped)');
    },
  );

  it('keeps the Job in its cluster until its pods have ended, also when the second Job is deleted', async () => {
    const world = await aReplacedMember({ isSeen: true });
    world.removes('west', 'pi');
    expect(await world.workFor(60)).not.toContain('EndGrant west/pi (gone)');
    world.api('west').pods.length = 0;
    expect(await world.workFor(120)).toContain('EndGrant west/pi (gone)');
  });

  it('keeps the Job in its cluster until its pods have ended, also when the second Job has ended with fewer successes than required', async () => {
    const world = await aReplacedMember({ isSeen: true });
    const conditions = [{ type: 'Complete', status: 'True' as const }];
    world.shows('west', 'pi', { conditions, completedIndexes: '0', succeeded: 1 });
    expect(await world.workFor(60)).not.toContain('EndGrant west/pi (ended)');
    world.api('west').pods.length = 0;
    expect(await world.workFor(120)).toContain('EndGrant west/pi (ended)');
  });

  it('keeps a spread Job in its cluster until its pods have ended', async () => {
    const world = await aReplacedMember({ isSeen: true, annotations: { spread: 'even' } });
    const sent = await stopped(world);
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
    world.api('west').pods.length = 0;
    expect(await world.workFor(120)).toContain('EndGrant west/pi (stopped)');
  });

  it('may continue to run without an object after a restore, so that the Job stays for a minute and the grace period', async () => {
    const world = await aReplacedMember({ isSeen: false, epoch: 1 });
    const sent = await stopped(world, 1);
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
    expect(await world.workFor(50)).not.toContain('EndGrant west/pi (stopped)');
    expect(await world.workFor(120)).toContain('EndGrant west/pi (stopped)');
  });
});

describe('a member in a cluster that was restored before it was created', () => {
  it('permits the move when no pod remains, because no pod of it runs without an object', async () => {
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

describe('the work of a replaced member, while the home could not be written (J-16.19),', () => {
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

  it('is continued by the next member', async () => {
    const world = await moved();
    await world.workFor(60);
    const { continues, member } = world.grants().at(-1) ?? {};
    expect(continues).toMatchObject({ succeeded: 2, completedIndexes: '0,1', failed: 3 });
    expect(member?.status).toMatchObject({ succeeded: 2, completedIndexes: '0,1', failed: 3 });
  });

  it.each([{}, { spread: 'even' }])('is in the status of the Job: %j', async (annotations) => {
    const world = await moved(annotations);
    world.api('east').before = () => {};
    await world.workFor(60);
    expect(world.job('east', 'pi').status).toMatchObject({
      succeeded: 2,
      completedIndexes: '0,1',
      failed: 3,
    });
  });

  it('runs again when the Job is scaled down and up again (J-5.36)', async () => {
    const world = await moved({ spread: 'even' });
    for (const size of [1, 4])
      world.edit(({ spec }) => {
        spec.parallelism = spec.completions = size;
      });
    world.api('east').before = () => {};
    await world.workFor(60);
    expect(world.job('east', 'pi').status?.completedIndexes).toBe('0');
  });

  it('is not granted to another member of a spread Job', async () => {
    const world = await moved({ spread: 'even' });
    await world.workFor(60);
    expect(world.grants().map(({ part }) => part?.indexes)).toEqual(['0-3', '2,3']);
  });
});
