import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const COMPLETE = {
  succeeded: 4,
  completedIndexes: '0-3',
  conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' as const })),
};

/** The cluster's own Job controller starts the guard. */
function startsGuard(world: PlacedWorld): void {
  const guard = world.job('west', 'pi-guard');
  guard.status = { startTime: new Date(world.now).toISOString() };
  Object.assign(guard.metadata, {
    managedFields: [{ manager: 'kube-controller-manager', subresource: 'status' }],
  });
}

function runs(world: PlacedWorld, epoch = 0): void {
  world.shows('west', 'pi', { active: 4, ready: 4, startTime: new Date(world.now).toISOString() }, epoch);
}

/** A Job in west, with its member and a guard of 30 s. */
async function aGuardedJob(): Promise<PlacedWorld> {
  const world = aPlacedWorld({
    annotations: { 'if-cluster-is-lost': 'MoveWhenStopped=30s' },
    podSpec: { activeDeadlineSeconds: 60 },
  });
  await world.work();
  startsGuard(world);
  world.pass(1);
  await world.work();
  runs(world);
  await world.work();
  return world;
}

/** West is a copy of itself from now on. */
function takeCopy(world: PlacedWorld): () => void {
  const copy = structuredClone(world.api('west').jobs);
  return () => {
    world.api('west').jobs.clear();
    for (const [name, job] of copy) world.api('west').jobs.set(name, structuredClone(job));
    world.epochs = { west: 1 };
  };
}

function moves(sent: readonly string[]): string[] {
  return sent.filter((each) => each.startsWith('ChangeMember west/pi (suspend)') || /north/.test(each));
}

describe('a guarded member in a restored cluster (J-16.16, J-16.19)', () => {
  it('retains its grant when a response from before the restore reported its guard as deleted, and the copy has the guard', async () => {
    const world = await aGuardedJob();
    const restore = takeCopy(world);
    world.pass(10);
    const decision = world.decide();
    if (decision === null) throw new Error('nothing is decided');
    expect(decision.decided.data.commands).toMatchObject([{ kind: 'RenewGuard' }]);
    world.api('west').jobs.delete('pi-guard');
    runs(world, 1);
    const [answered] = await world.carryOut(decision);
    expect(answered?.data.outcome).toMatchObject({ kind: 'RenewGuard', result: 'gone' });
    restore();
    const sent = await world.workFor(60);
    expect(moves(sent)).toEqual([]);
    expect(sent.filter((each) => each === 'RenewGuard west/pi').length).toBeGreaterThan(3);
  });

  it('retains its grant when it had finished without its guard, and the copy has it running with its guard', async () => {
    const world = await aGuardedJob();
    const restore = takeCopy(world);
    world.api('east').before = ({ method }) => {
      if (method !== 'GET') throw new UnavailableError('the status is not written yet');
    };
    world.shows('west', 'pi', COMPLETE);
    expect(await world.work()).toContain('ReleaseGuard west/pi');
    restore();
    runs(world, 1);
    const sent = await world.workFor(60);
    expect(moves(sent)).toEqual([]);
    expect(sent.filter((each) => each === 'RenewGuard west/pi').length).toBeGreaterThan(3);
  });

  it('is stopped when the copy does not contain its guard', async () => {
    const world = await aGuardedJob();
    world.api('west').jobs.delete('pi-guard');
    const restore = takeCopy(world);
    world.shows('west', 'pi', COMPLETE);
    restore();
    runs(world, 1);
    expect(moves(await world.workFor(60))).toContain('ChangeMember west/pi (suspend)');
  });

  it('is looked up before its grant may end, when the copy has its guard from before the guard had started', async () => {
    const world = aPlacedWorld({
      annotations: { 'if-cluster-is-lost': 'MoveWhenStopped=30s' },
      podSpec: { activeDeadlineSeconds: 60 },
    });
    await world.work();
    startsGuard(world);
    world.pass(1);
    const west = world.api('west');
    west.after = ({ method, path }) => {
      if (method === 'POST' && path.endsWith('/jobs')) throw new UnavailableError('the answer was lost');
    };
    await world.work();
    expect([...west.jobs.keys()]).toEqual(['pi-guard', 'pi']);
    const guard = world.job('west', 'pi-guard');
    guard.status = {};
    const isCreation = (method: string, path: string) => method === 'POST' && path.endsWith('/jobs');
    west.after = () => {};
    west.before = ({ method, path }) => {
      if (isCreation(method, path)) throw new UnavailableError('west is slow');
    };
    world.pass(61);
    const sent = await world.workFor(60);
    expect(world.grants()).toMatchObject([{ cluster: 'west', member: { name: 'pi' } }]);
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
  });
});
