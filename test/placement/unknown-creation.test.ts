import { describe, expect, it } from '@jest/globals';
import { refusalError } from './a-small-api.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

/** The cluster carries out nothing, and answers each request with an error of the server. */
function breaks(world: PlacedWorld, message = 'etcdserver: leader changed'): void {
  world.api('west').before = ({ path }) => {
    throw refusalError(500, 'InternalError', message, path);
  };
}

function placedIn(world: PlacedWorld) {
  return world.job('east', 'pi').status?.conditions?.find(({ type }) => type === 'jobledger.dev/Placed');
}

function eventTexts(world: PlacedWorld): string[] {
  return world.api('east').events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

const EVENT =
  'Warning ClusterErrors: the cluster west answers LookUpMember of the member pi with errors, or not at all';

describe('a member whose creation and look-ups all fail with an error of the server (J-16.6)', () => {
  it.each([{}, { spread: 'even' }])(
    'is reported as unknown in the status of the placed Job and in an Event (%j)',
    async (annotations) => {
      const world = aPlacedWorld({ annotations, clusters: ['west'] });
      breaks(world);
      await world.workFor(60);
      expect(placedIn(world)).toMatchObject({
        status: 'Unknown',
        reason: 'CreationUnknown',
        message: 'whether the cluster west has created team/pi is not known: etcdserver: leader changed',
      });
      expect(eventTexts(world).filter((each) => each === EVENT)).toHaveLength(1);
      world.api('west').before = () => {};
      await world.workFor(120);
      const { name = '' } = world.grants().at(-1) ?? {};
      world.shows('west', name, { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' });
      await world.work();
      expect(placedIn(world)).toMatchObject({ status: 'True', reason: 'Placed' });
    },
  );

  it('is not reported in the first two seconds, nor while the cluster is silent', async () => {
    const world = aPlacedWorld({ clusters: ['west'] });
    breaks(world);
    await world.workFor(2);
    expect(placedIn(world)?.reason).not.toBe('CreationUnknown');
    expect(eventTexts(world).filter((each) => each.includes('ClusterErrors'))).toEqual([]);
    const away = aPlacedWorld({ clusters: ['west'] });
    await away.workFor(0);
    away.silences('west', true);
    await away.workFor(60);
    expect(eventTexts(away).filter((each) => each.includes('ClusterErrors'))).toEqual([]);
  });

  it('is reported once, however the errors differ', async () => {
    const world = aPlacedWorld({ clusters: ['west'] });
    let number = 0;
    world.api('west').before = ({ path }) => {
      throw refusalError(500, 'InternalError', `error ${(number += 1)}`, path);
    };
    await world.workFor(300);
    expect(eventTexts(world).filter((each) => each === EVENT)).toHaveLength(1);
  });
});

describe('a member whose change its cluster answers with errors (J-16.20)', () => {
  it.each(['drained', 'scaled'])(
    'is reported in an Event on the placed Job, which was %s',
    async (change) => {
      const world = aPlacedWorld();
      await world.work();
      world.shows('west', 'pi', { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' });
      await world.work();
      breaks(world);
      if (change === 'drained')
        world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
      else
        world.edit(({ spec }) => {
          spec.parallelism = 2;
        });
      await world.workFor(60);
      expect(eventTexts(world)).toContain(
        'Warning ClusterErrors: the cluster west answers ChangeMember of the member pi with errors, or not at all',
      );
    },
  );
});
