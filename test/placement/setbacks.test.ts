import { describe, expect, it } from '@jest/globals';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { refusalError } from './a-small-api.ts';
import { extent } from '../support/extent.ts';

const HOUR = 3600;
const RUNS = { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' };

/** West refuses each creation. */
function refuses(world: PlacedWorld, cluster = 'west'): void {
  world.api(cluster).before = ({ method, path }) => {
    if (method === 'POST' && path.endsWith('/jobs'))
      throw refusalError(403, 'Forbidden', 'exceeded quota: one', path);
  };
}

function times(sent: readonly string[], command: string): number {
  return sent.filter((each) => each.startsWith(command)).length;
}

describe('a cluster that repeatedly refuses the member of a Job (J-16.4)', () => {
  it('gets the next attempts after 1, 2, 4 and more minutes, at most an hour', async () => {
    const world = aPlacedWorld({ clusters: ['west'] });
    refuses(world);
    expect(times(await world.workFor(50), 'CreateMember')).toBe(1);
    expect(times(await world.workFor(HOUR), 'CreateMember')).toBe(5);
    expect(times(await world.workFor(24 * HOUR), 'CreateMember')).toBeLessThanOrEqual(25);
  });

  it.each([
    ['Job in one cluster', {}, extent(1500, 10_000)],
    ['spread Job', { spread: 'even' }, extent(300, 1000)],
  ])(
    'adds little to the state: that of a %s with %p has less than 10,000 characters and 7 grants over %d refusals',
    async (_what, annotations, most) => {
      const world = aPlacedWorld({ annotations, clusters: ['west', 'north'] });
      refuses(world);
      refuses(world, 'north');
      const largest = { characters: 0, grants: 0 };
      for (let refusals = 0; refusals < most;) {
        refusals += times(await world.work(), 'EndGrant');
        largest.characters = Math.max(largest.characters, JSON.stringify(world.state()).length);
        largest.grants = Math.max(largest.grants, world.grants().length);
        world.now = Math.min(...Object.values(world.state().setbacks).map(({ until }) => until));
      }
      expect(largest.characters).toBeLessThan(10_000);
      expect(largest.grants).toBeLessThan(7);
      expect(world.grants().at(-1)?.number).toBeGreaterThanOrEqual(most);
    },
    60_000,
  );

  it.each([{}, { spread: 'even' }])(
    'gets the second attempt after a minute when its quota was full for 20 seconds, with %p',
    async (annotations) => {
      const world = aPlacedWorld({ annotations, clusters: ['west'] });
      const begun = world.now;
      const tried: number[] = [];
      world.api('west').before = ({ method, path }) => {
        if (method !== 'POST' || !path.endsWith('/jobs')) return;
        tried.push(world.now - begun);
        if (world.now - begun < 20_000) throw refusalError(403, 'Forbidden', 'exceeded quota', path);
      };
      await world.workFor(300);
      expect(tried).toEqual([0, 60_000]);
    },
  );

  it('is reported with its reason and the next attempt in the condition and in an Event', async () => {
    const world = aPlacedWorld({ clusters: ['west'] });
    refuses(world);
    await world.workFor(150);
    const message =
      'no cluster can take the Job: west: it has refused the member 2 times in a row and is asked again at 2026-03-01T12:03:00.000Z: exceeded quota: one';
    expect(world.state().waiting).toEqual({ rule: 'J-16.4', message });
    expect(world.job('east', 'pi').status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'jobledger.dev/Placed', reason: 'NotPlaced', message }),
    );
    expect(world.api('east').events).toContainEqual(
      expect.objectContaining({ type: 'Warning', reason: 'NoCluster', message }),
    );
  });

  it('gets an attempt at once when the Job has changed, and its delays start at 1 minute again', async () => {
    const world = aPlacedWorld({ clusters: ['west'] });
    refuses(world);
    await world.workFor(HOUR);
    world.edit(({ spec }) => {
      spec.parallelism = 1;
    });
    expect(times(await world.work(), 'CreateMember')).toBe(1);
    expect(world.state().setbacks).toMatchObject({ west: { errors: 1 } });
  });

  it('has no delay any more after it accepted the member', async () => {
    const world = aPlacedWorld({ clusters: ['west'] });
    refuses(world);
    await world.workFor(HOUR);
    world.api('west').before = () => {};
    await world.workFor(HOUR);
    expect(world.state().setbacks).toEqual({});
    expect(world.grants().at(-1)).toMatchObject({ cluster: 'west', member: { uid: 'west-1' } });
  });

  it('does not delay the member in another cluster that accepts it', async () => {
    const world = aPlacedWorld();
    refuses(world);
    await world.work();
    expect(world.grants().at(-1)).toMatchObject({ cluster: 'north', member: { uid: 'north-1' } });
  });
});

describe('a member that another client deletes repeatedly (J-16.4)', () => {
  /** A pruner deletes each member 2 s after its creation. Returns the instants of creations, in seconds. */
  async function pruned(world: PlacedWorld, seconds: number): Promise<number[]> {
    const created: number[] = [];
    const end = world.now + seconds * 1000;
    const begin = world.now;
    while (world.now < end) {
      if (times(await world.work(), 'CreateMember') > 0) created.push((world.now - begin) / 1000);
      const grant = world.grants().at(-1);
      if (
        grant?.member !== null &&
        grant?.gone !== true &&
        grant?.ended === undefined &&
        grant !== undefined
      ) {
        world.shows(grant.cluster, grant.name, RUNS);
        await world.work();
        world.pass(2);
        world.removes(grant.cluster, grant.name);
      } else world.now = Math.min(end, Math.max(world.now + 1, world.nextDecisionAt ?? end));
    }
    return created;
  }

  it('is replaced at once the first time, and then at growing intervals, up to an hour', async () => {
    const world = aPlacedWorld({ clusters: ['west'] });
    const created = await pruned(world, 120);
    expect(created.slice(0, 5)).toEqual([0, 2, 14, 36, 78]);
    expect(world.state().waiting?.message).toMatch(
      /^no cluster can take the Job: west: 5 members in a row were deleted there; it is asked again at 2026-03-01T12:02:4/,
    );
    expect((await pruned(world, 24 * HOUR)).length).toBeLessThanOrEqual(32);
  });

  it('is replaced at once when it has run for more than an hour', async () => {
    const world = aPlacedWorld({ clusters: ['west'] });
    await pruned(world, 78);
    await world.work();
    world.pass(2 * HOUR);
    const { name = '' } = world.grants().at(-1) ?? {};
    world.removes('west', name);
    expect(times(await world.work(), 'CreateMember')).toBe(1);
  });
});
