import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { aPlacedWorld } from './a-placed-world.ts';

describe('a request to resume a member that had no answer and arrives late (J-16.10)', () => {
  it('delays the start in the next cluster until the member is stopped again', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' });
    await world.work();
    world.edit(({ spec }) => {
      spec.suspend = true;
    });
    await world.work();
    world.shows('west', 'pi', { conditions: [{ type: 'Suspended', status: 'True' }] });
    await world.work();
    // The Job is resumed; the request to its member is on its way when its sender gives up.
    const west = world.api('west');
    let onItsWay: ApiRequest | null = null;
    west.before = (request) => {
      if (request.method !== 'PATCH' || onItsWay !== null) return;
      onItsWay = request;
      throw new UnavailableError('the answer was lost');
    };
    world.edit(({ spec }) => {
      delete spec.suspend;
    });
    const decision = world.decide();
    if (decision === null) throw new Error('nothing was decided');
    await world.carryOut(decision);
    // The cluster is drained a moment later.
    world.availability = { west: { cordoned: { by: 'anna', at: 0, drain: true } } };
    const created = (sent: readonly string[]): string[] =>
      sent.filter((each) => each.startsWith('CreateMember'));
    expect(created(await world.workFor(10))).toEqual([]);
    // The request arrives, ten seconds after it was sent.
    if (onItsWay !== null) await west.client.request(onItsWay);
    world.shows('west', 'pi', { active: 4, ready: 4, conditions: [{ type: 'Suspended', status: 'False' }] });
    expect(created(await world.workFor(20))).toEqual([]);
    expect(world.job('west', 'pi').spec.suspend).toBe(true);
    world.shows('west', 'pi', { conditions: [{ type: 'Suspended', status: 'True' }] });
    expect(created(await world.workFor(60))).toEqual(['CreateMember north/pi-m2']);
  });
});
