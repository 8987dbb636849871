import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { decide } from '../../workflows/placement/decide/decide.ts';
import type { MemberFacts } from '../../workflows/placement/facts.ts';
import { after, aMember, aPlacedJob, aStateWith } from './a-placed-job.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { withoutCounters } from './lost-creation.ts';
import { refusalError } from './a-small-api.ts';

describe('a placed Job that is deleted when no watch has shown its member (J-16.17)', () => {
  it('loses its finalizer within an hour although no list shows the deletion of the member after a restore of its cluster', async () => {
    const world = aPlacedWorld();
    await world.work();
    expect(world.grants()[0]).toMatchObject({ member: { uid: 'west-1' }, isUnseen: true });
    world.edit(({ metadata }) => {
      metadata.deletionTimestamp = new Date(world.now).toISOString();
    });
    const sent = await world.workFor(5);
    expect(sent).toContain('DeleteMember west/pi');
    // Only now the ingester notices the restore: its first list of the new epoch has no such Job, and it knew of none.
    world.epochs = { west: 1 };
    expect(world.api('west').jobs.has('pi')).toBe(false);
    expect([...sent, ...(await world.workFor(3600))]).toContain('RemoveFinalizer');
  });
});

/** West has the guard, and starts it; no member was asked for yet. West was restored once, long ago. */
async function aGuardedWait(): Promise<PlacedWorld> {
  const world = aPlacedWorld({
    annotations: { 'if-cluster-is-lost': 'MoveWhenStopped=1m' },
    podSpec: { activeDeadlineSeconds: 60 },
  });
  world.epochs = { west: 1 };
  const decision = world.decide();
  if (decision !== null) await world.carryOut(decision);
  const guard = world.job('west', 'pi-guard');
  guard.status = { startTime: new Date(world.now).toISOString() };
  const started = [{ manager: 'kube-controller-manager', subresource: 'status' }];
  Object.assign(guard.metadata, { managedFields: started });
  world.api('west').bump(guard);
  // A tenant has created a Job with the name of the member, and deletes it.
  world.fold({
    type: 'member.deleted',
    cluster: 'west',
    uid: 'forged',
    name: 'pi',
    resourceVersion: '103',
    epoch: 1,
  });
  return world;
}

describe('a guard whose member is not created yet, because pods without objects may still run', () => {
  it('is renewed until its member can be created', async () => {
    const world = await aGuardedWait();
    await world.workFor(80);
    expect(world.now - (world.grants()[0]?.guard?.renewedAt ?? 0)).toBeLessThan(60_000);
  });

  it('does not let the grant end as if its cluster had not started it', async () => {
    const world = await aGuardedWait();
    expect(await world.workFor(120)).not.toContain('EndGrant west/pi (refused)');
  });
});

describe('a member that lost its counters by an unnoticed restore of its cluster, and has the same version', () => {
  it('is not requested repeatedly without a delay (J-16.20)', async () => {
    const world = await withoutCounters();
    // Of the same version in the copy, and resumed by hand there.
    world.job('north', 'pi-m2').spec.suspend = false;
    const sent = await world.workFor(20);
    expect(sent.filter((each) => each === 'CreateMember north/pi-m2').length).toBeLessThan(9);
  });
});

describe('the end of a member of a spread Job (J-17.6)', () => {
  const endedWith = (member: MemberFacts) => {
    const target = { type: 'FailureTarget', status: 'True', reason: 'BackoffLimitExceeded', message: 'm' };
    const job = aPlacedJob({
      annotations: { spread: 'even' },
      status: { conditions: [target], failed: 4 },
      spec: {
        completionMode: 'Indexed',
        parallelism: 2,
        completions: 4,
        managedBy: 'jobledger.dev/placement',
      },
    });
    const part = { number: 2, indexes: '', keeps: '', end: 'Failed' as const, parallelism: 2 };
    const grant = {
      number: 1,
      cluster: 'west',
      name: 'pi-m1',
      since: 0,
      mark: 'm',
      askedAt: 0,
      requests: 1,
      member,
      part,
    };
    const { commands } = decide(
      { ...aStateWith(job, grant), shares: { at: after(0), pods: { west: 2 } } },
      after(1),
      {},
    );
    return commands.flatMap((command) => (command.kind === 'ChangeMember' ? [command.indexes] : []));
  };

  it('is sent under a higher number than the member has acknowledged, also when the number in its annotation is lower', () => {
    const kept = {
      type: 'jobledger.dev/Indexes',
      status: 'True' as const,
      reason: 'Granted',
      message: '7:0-3',
    };
    const member = aMember(
      { active: 1, conditions: [kept] },
      { uid: 'uid-1', name: 'pi-m1', grant: { number: 2, indexes: '', end: 'Failed' } },
    );
    expect(endedWith(member)).toEqual([{ number: 8, indexes: '', end: 'Failed' }]);
  });
});

describe('a member that has no counters yet, in a cluster that is restored from a copy without it', () => {
  it('is looked up within an hour when a Job of another client has its name in that cluster', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', { active: 2, ready: 2, succeeded: 2, completedIndexes: '0,1' });
    await world.work();
    world.availability = { west: { cordoned: { by: 'anna', at: 0, drain: true } } };
    await world.work();
    const stopped = [{ type: 'Suspended', status: 'True' as const }];
    world.shows('west', 'pi', { succeeded: 2, completedIndexes: '0,1', conditions: stopped });
    const north = world.api('north');
    const path = '/jobs/pi-m2';
    // The answer to the first creation is lost; the second is refused, and so is the look-up that would show that the first was carried out.
    north.after = ({ method }) => {
      if (method === 'POST') throw new UnavailableError('the answer was lost');
    };
    await world.work();
    let isRefusing = true;
    north.after = () => {};
    north.before = (request) => {
      if (request.method === 'PATCH' && request.path.endsWith('/status'))
        throw refusalError(403, 'Forbidden', 'a policy', request.path);
      if (isRefusing && request.method === 'POST')
        throw refusalError(403, 'Forbidden', 'a policy', request.path);
      if (isRefusing && request.method === 'GET' && request.path.endsWith(path)) {
        isRefusing = false;
        throw refusalError(500, 'InternalError', 'etcd', request.path);
      }
    };
    await world.workFor(2);
    expect(world.grants()[1]).toMatchObject({ member: { uid: 'north-1', status: {} }, isUnseen: true });
    // The restore; the name goes to a Job of another client. No list of the ingester can show that north-1 is gone: it has never seen it.
    north.before = () => {};
    const { metadata } = world.job('north', 'pi-m2');
    metadata.uid = 'other';
    metadata.annotations = {};
    const sent = await world.workFor(3600);
    expect(sent.some((each) => /^(LookUpMember|EndGrant) north/.test(each))).toBe(true);
  });
});
