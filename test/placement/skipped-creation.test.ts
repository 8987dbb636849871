import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { aPlacedWorld } from './a-placed-world.ts';

describe('a creation of a member that a second attempt has skipped (J-16.6)', () => {
  it('leaves no member behind when the request of a late first attempt arrives while the Job is deleted', async () => {
    const world = aPlacedWorld();
    const decision = world.decide();
    if (decision === null) throw new Error('nothing was decided');
    // No worker runs for a minute. The first attempt sends the creation, and its worker dies.
    world.pass(60);
    const [east, west] = [world.api('east'), world.api('west')];
    const onTheirWay: ApiRequest[] = [];
    west.before = (request) => {
      if (request.method !== 'POST') return;
      onTheirWay.push(request);
      throw new Error('the worker dies');
    };
    await world.carryOut(decision).catch(() => {});
    expect(onTheirWay).toHaveLength(1);
    west.before = () => {};
    // The home does not answer the second attempt, which sends nothing to west therefore.
    east.before = () => {
      throw new UnavailableError('east is away');
    };
    world.pass(5);
    await world.carryOut(decision, 2);
    east.before = () => {};
    // The Job is deleted.
    world.edit(({ metadata }) => {
      metadata.deletionTimestamp = new Date(world.now).toISOString();
    });
    await world.workFor(3);
    const isReleased = world.job('east', 'pi').metadata.finalizers?.length === 0;
    // Eight seconds after it was sent, the creation arrives.
    for (const request of onTheirWay) await west.client.request(request);
    expect({ isReleased, runs: west.jobs.has('pi') }).not.toEqual({ isReleased: true, runs: true });
  });
});
