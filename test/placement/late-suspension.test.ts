import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { aPlacedWorld } from './a-placed-world.ts';

describe('a request to suspend a placed Job that arrives late (J-6.41)', () => {
  it('does not undo a later resumption by a user', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.observeHome();
    world.shows('west', 'pi', { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' });
    await world.work();
    const asks = (action: 'suspend' | 'resume'): void =>
      world.fold({ type: 'request.received', action, by: 'anna' } as never);
    const east = world.api('east');
    const onTheirWay: ApiRequest[] = [];
    east.before = (request) => {
      if (request.method !== 'PATCH' || onTheirWay.length > 0) return;
      onTheirWay.push(request);
      throw new UnavailableError('the answer was lost');
    };
    asks('suspend');
    await world.workFor(2);
    expect(world.job('east', 'pi').spec.suspend).toBe(true);
    asks('resume');
    await world.workFor(2);
    expect(world.job('east', 'pi').spec.suspend).toBe(false);
    // The first request arrives, four seconds after it was sent.
    for (const request of onTheirWay) await east.client.request(request).catch(() => {});
    world.observeHome();
    const sent = await world.workFor(60);
    expect(sent).not.toContain('ChangeMember west/pi (suspend)');
    expect(world.job('east', 'pi').spec.suspend).toBe(false);
  });
});
