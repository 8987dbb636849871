import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { refusalError } from './a-small-api.ts';

const RUNS = { active: 2, ready: 2, startTime: '2026-03-01T12:00:00Z' };
const SUSPENDED = { conditions: [{ type: 'Suspended', status: 'True' as const }] };

/**
 * West creates the member, the answer is lost, and west is restored from a copy without it: what the member runs goes on for a while.
 * `refuses`: no other creation is accepted there.
 */
async function aRestore(
  annotations: Record<string, string>,
  { refuses }: { refuses: boolean },
): Promise<PlacedWorld> {
  const world = aPlacedWorld({ annotations });
  world.leftBy = { 1: { failures: {}, uncountedPodCount: 0 }, 2: { failures: {}, uncountedPodCount: 0 } };
  const west = world.api('west');
  const isCreation = (method: string, path: string) => method === 'POST' && path.endsWith('/jobs');
  west.before = () => {
    if (west.jobs.size > 0) throw new UnavailableError('west is away');
  };
  west.after = ({ method, path }) => {
    if (isCreation(method, path)) throw new UnavailableError('the answer was lost');
  };
  await world.work();
  expect(west.jobs.size).toBe(1);
  west.jobs.clear();
  west.after = () => {};
  west.before = ({ method, path }) => {
    if (refuses && isCreation(method, path)) throw refusalError(403, 'Forbidden', 'a policy', path);
  };
  world.epochs = { west: 1 };
  return world;
}

function inWest(world: PlacedWorld): string {
  return world.grants().find(({ cluster }) => cluster === 'west')?.name ?? '';
}

/** The member that was created after the restore is drained, and its controller says at once that it is suspended. */
async function drained(world: PlacedWorld, epoch: number): Promise<void> {
  world.shows('west', 'pi', RUNS, epoch);
  world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
  expect(await world.work()).toContain('ChangeMember west/pi (suspend)');
  world.shows('west', 'pi', SUSPENDED, epoch);
}

function ends(sent: readonly string[]): string[] {
  return sent.filter((each) => each.startsWith('EndGrant west'));
}

describe('a member whose creation had no answer and whose cluster is restored from a copy without it (J-16.19)', () => {
  it.each([{}, { spread: 'even' }])(
    'retains its grant until kubelets must have ended its pods, although its cluster refuses to create it again (%j)',
    async (annotations) => {
      const world = await aRestore(annotations, { refuses: true });
      const inNorth = [...world.api('north').jobs.keys()];
      await world.workFor(60);
      expect([...world.api('north').jobs.keys()]).toEqual(inNorth);
      expect(ends(await world.workFor(80))).toEqual([`EndGrant west/${inWest(world)} (refused)`]);
    },
  );

  it('retains its grant until kubelets must have ended its pods, also when it is created again and its cluster is drained at once', async () => {
    const world = await aRestore({}, { refuses: false });
    await world.workFor(5);
    expect(world.grants()).toMatchObject([{ member: { uid: 'west-2' } }]);
    await drained(world, 1);
    expect(ends(await world.workFor(60))).toEqual([]);
    expect(ends(await world.workFor(80))).toEqual(['EndGrant west/pi (stopped)']);
  });

  it('retains its grant until kubelets must have ended its pods, also when the watch shows it before a response does', async () => {
    const world = await aRestore({}, { refuses: false });
    const west = world.api('west');
    west.after = ({ method }) => {
      if (method === 'POST') throw new UnavailableError('the answer was lost');
    };
    await world.workFor(3);
    await drained(world, 1);
    expect(world.grants()).toMatchObject([{ member: { uid: 'west-2' } }]);
    expect(ends(await world.workFor(60))).toEqual([]);
  });

  it('retains its grant until kubelets must have ended its pods, also when workers know of the restore only by the watch', async () => {
    const world = await aRestore({}, { refuses: true });
    world.epochs = {};
    const gone = { type: 'member.deleted', cluster: 'west', name: 'pi', resourceVersion: '99999' } as const;
    world.fold({ ...gone, uid: 'west-1', epoch: 1 });
    expect(ends(await world.workFor(60))).toEqual([]);
    // The wait counts from the restore, whatever else is deleted after it.
    world.fold({ ...gone, uid: 'another', epoch: 1 });
    expect(ends(await world.workFor(60))).toEqual([`EndGrant west/${inWest(world)} (refused)`]);
  });

  it('retains its grant longer when its cluster is restored a second time', async () => {
    const world = await aRestore({}, { refuses: true });
    const gone = { type: 'member.deleted', cluster: 'west', name: 'pi', resourceVersion: '99999' } as const;
    world.fold({ ...gone, uid: 'west-1', epoch: 1 });
    expect(ends(await world.workFor(60))).toEqual([]);
    world.epochs = { west: 2 };
    world.fold({ ...gone, uid: 'another', epoch: 2 });
    expect(ends(await world.workFor(80))).toEqual([]);
    expect(ends(await world.workFor(60))).toEqual([`EndGrant west/${inWest(world)} (refused)`]);
  });

  it('retains its grant only until no request can arrive any more, if the restore was before the request', async () => {
    const world = aPlacedWorld();
    world.epochs = { west: 1 };
    const west = world.api('west');
    west.after = ({ method }) => {
      if (method === 'POST') throw new UnavailableError('the answer was lost');
    };
    await world.work();
    west.after = () => {};
    await world.workFor(5);
    expect(world.grants()).toMatchObject([{ member: { uid: 'west-1' } }]);
    await drained(world, 1);
    expect(ends(await world.workFor(20))).toEqual(['EndGrant west/pi (stopped)']);
  });
});
