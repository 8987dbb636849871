import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { aPlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' };

/** A Job that runs in west, under a guard of 5 minutes. */
async function aGuardedJob() {
  const world = aPlacedWorld({
    annotations: { 'if-cluster-is-lost': 'MoveWhenStopped=5m' },
    podSpec: { activeDeadlineSeconds: 3600 },
    clusters: ['west'],
  });
  await world.work();
  const guard = world.job('west', 'pi-guard');
  guard.status = { startTime: new Date(world.now).toISOString() };
  Object.assign(guard.metadata, { managedFields: [{ manager: 'kcm', subresource: 'status' }] });
  world.pass(1);
  await world.work();
  world.shows('west', 'pi', RUNS);
  await world.work();
  return world;
}

describe('a placed Job whose home does not answer (J-16.13)', () => {
  it('has its guard renewed in the healthy cluster, although its status cannot be written', async () => {
    const world = await aGuardedJob();
    world.api('east').before = () => {
      throw new UnavailableError('connection refused');
    };
    world.pass(20);
    world.shows('west', 'pi', { ...RUNS, succeeded: 1, completedIndexes: '0' });
    const sent = await world.workFor(20 * 60);
    expect(sent.filter((each) => each === 'RenewGuard west/pi').length).toBeGreaterThanOrEqual(11);
    const { startTime = '' } = world.job('west', 'pi-guard').status ?? {};
    const { activeDeadlineSeconds = 0 } = world.job('west', 'pi-guard').spec;
    expect(Date.parse(startTime) + activeDeadlineSeconds * 1000).toBeGreaterThan(world.now + 190_000);
    // Doubled with each error, up to a minute.
    expect(sent.filter((each) => each === 'WriteStatus').length).toBeLessThan(30);
    world.api('east').before = () => {};
    world.pass(60);
    expect(await world.work()).toContain('WriteStatus');
    expect(world.job('east', 'pi').status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
  });

  it('is not refused by the cluster whose member cannot be made of it', async () => {
    const world = aPlacedWorld();
    world.edit(({ metadata }) => {
      metadata.finalizers = ['jobledger.dev/placement'];
    });
    world.api('east').before = () => {
      throw new UnavailableError('connection refused');
    };
    expect(await world.workFor(10)).not.toContain('EndGrant west/pi (refused)');
    world.api('east').before = () => {};
    world.pass(60);
    await world.work();
    expect(world.grants()).toMatchObject([{ cluster: 'west', member: { uid: 'west-1' } }]);
  });

  it('is suspended as a user has asked for when it answers again', async () => {
    const world = await aGuardedJob();
    world.api('east').before = () => {
      throw new UnavailableError('connection refused');
    };
    world.fold({ type: 'command.received', command: 'suspend', by: 'ann' });
    expect(await world.work()).toEqual(['SetSuspend']);
    world.api('east').before = () => {};
    world.pass(60);
    await world.work();
    expect(world.job('east', 'pi').spec.suspend).toBe(true);
  });

  it('keeps its shares while the clusters cannot be read', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'even' } });
    await world.work();
    const { shares } = world.state();
    world.pass(40);
    world.unread = 'the home does not answer';
    expect(await world.work()).toEqual([]);
    expect(world.state().shares).toEqual(shares);
    expect(world.lookAgainAt).toBe(world.now + 10_000);
  });
});
