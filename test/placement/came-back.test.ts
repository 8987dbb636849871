import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' };
const IS_SUSPENDED = { conditions: [{ type: 'Suspended', status: 'True' }] };

/** A Job that runs in west; `copy`: of its member. */
async function aRunningJob(
  annotations: Record<string, string> = {},
): Promise<{ world: PlacedWorld; copy: Job }> {
  const world = aPlacedWorld({ annotations });
  await world.work();
  world.shows('west', 'pi', RUNS);
  await world.work();
  return { world, copy: structuredClone(world.job('west', 'pi')) };
}

/** It leaves west, by a drain or because another client deletes its member, and runs in north. */
async function aMovedJob(how: 'drained' | 'deleted'): Promise<{ world: PlacedWorld; copy: Job }> {
  const { world, copy } = await aRunningJob();
  if (how === 'drained') {
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    world.shows('west', 'pi', IS_SUSPENDED);
  } else {
    world.candidates = [{ cluster: 'north', room: 9 }];
    world.removes('west', 'pi');
  }
  await world.work();
  world.availability = {};
  world.shows('north', 'pi-m2', IS_SUSPENDED);
  await world.work();
  world.shows('north', 'pi-m2', RUNS);
  await world.work();
  expect(world.grants()).toMatchObject([
    { ended: { reason: how === 'drained' ? 'stopped' : 'gone' } },
    { cluster: 'north', member: { spec: expect.not.objectContaining({ suspend: true }) } },
  ]);
  world.pass(60);
  return { world, copy };
}

/** The etcd of west is restored from a copy in which the member runs. */
function restores(world: PlacedWorld, copy: Job): void {
  world.api('west').jobs.set('pi', structuredClone(copy));
  world.shows('west', 'pi', RUNS, 1);
}

async function expectStopped(world: PlacedWorld): Promise<void> {
  const sent = await world.work();
  expect(sent).toEqual(expect.arrayContaining(['ChangeMember west/pi (suspend)', 'EmitEvents']));
  expect(world.job('west', 'pi').spec.suspend).toBe(true);
  expect(world.job('north', 'pi-m2').spec.suspend).not.toBe(true);
  expect(world.api('east').events).toContainEqual(
    expect.objectContaining({ type: 'Warning', reason: 'Overlap' }),
  );
  expect(world.grants()[0]).toMatchObject({ stopping: 'returned' });
}

describe('a member that runs after its grant has ended with a proof (BR-61, J-16.18)', () => {
  it.each(['drained', 'deleted'] as const)(
    'is stopped and reported when its cluster was restored from a copy (%s)',
    async (how) => {
      const { world, copy } = await aMovedJob(how);
      restores(world, copy);
      await expectStopped(world);
    },
  );

  it('passes on the indexes that it finishes, so that the next member does not run them again', async () => {
    const { world, copy } = await aMovedJob('drained');
    restores(world, copy);
    await world.work();
    world.shows('west', 'pi', { ...IS_SUSPENDED, succeeded: 2, completedIndexes: '1,2' }, 1);
    await world.work();
    world.availability = { north: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    world.shows('north', 'pi-m2', { ...IS_SUSPENDED, succeeded: 1, completedIndexes: '0' });
    await world.workFor(60);
    const next = world.grants().at(-1);
    expect(next).toMatchObject({ number: 3, continues: { completedIndexes: '0-2', succeeded: 3 } });
  });

  it('is stopped and reported when another client resumes it by hand', async () => {
    const { world } = await aMovedJob('drained');
    delete world.job('west', 'pi').spec.suspend;
    world.shows('west', 'pi', RUNS);
    await expectStopped(world);
  });

  it('is stopped and reported when another client creates it again with its grant annotation', async () => {
    const { world, copy } = await aMovedJob('deleted');
    const again = structuredClone(copy);
    again.metadata.uid = 'again';
    world.api('west').jobs.set('pi', again);
    world.shows('west', 'pi', RUNS);
    await expectStopped(world);
    expect(world.grants()[0]?.member?.uid).toBe('again');
  });

  it('is reported once, although the write of the status before the Event had a conflict', async () => {
    const { world } = await aMovedJob('drained');
    delete world.job('west', 'pi').spec.suspend;
    world.shows('west', 'pi', RUNS);
    world.api('west').after = ({ method }) => {
      if (method !== 'GET') return;
      world.api('west').after = () => {};
      world.shows('north', 'pi-m2', {
        succeeded: 4,
        completedIndexes: '0-3',
        conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-03-01T12:00:00Z' }],
      });
      // Another writer, which nobody has observed yet.
      const home = world.job('east', 'pi');
      home.status = { ...home.status, ready: 2 };
      world.api('east').bump(home);
    };
    await world.workFor(60);
    expect(world.api('east').events.filter(({ reason }) => reason === 'Overlap')).toHaveLength(1);
  });

  it('is not recognised in a Job of its name with another grant annotation, which stays unchanged', async () => {
    const { world, copy } = await aMovedJob('deleted');
    const other = structuredClone(copy);
    other.metadata.uid = 'other';
    Object.assign(other.metadata.annotations ?? {}, { 'jobledger.dev/grant': 'another' });
    world.api('west').jobs.set('pi', other);
    world.shows('west', 'pi', RUNS);
    expect(await world.work()).toEqual([]);
    expect(world.job('west', 'pi').spec.suspend).not.toBe(true);
  });

  it('is not reported as an overlap when its guard has deleted it', async () => {
    const world = aPlacedWorld({
      annotations: { 'if-cluster-is-lost': 'MoveWhenStopped=30s' },
      podSpec: { activeDeadlineSeconds: 60 },
    });
    await world.work();
    const guard = world.job('west', 'pi-guard');
    guard.status = { startTime: new Date(world.now).toISOString() };
    Object.assign(guard.metadata, { managedFields: [{ manager: 'kcm', subresource: 'status' }] });
    world.pass(1);
    await world.work();
    world.shows('west', 'pi', RUNS);
    await world.work();
    world.availability = { west: { silentSince: world.now } };
    world.pass(300);
    expect(await world.work()).toContain('EndGrant west/pi (guarded)');
    world.api('west').jobs.clear();
    world.availability = {};
    world.pass(60);
    expect(await world.work()).toContain('LookUpMember west/pi');
    expect(world.api('east').events.map(({ reason }) => reason)).not.toContain('Overlap');
  });
});

/** The first creation of the member has no answer, and the second one creates it; another client deletes it. */
async function aJobAskedForTwice(): Promise<{ world: PlacedWorld; copy: Job }> {
  const world = aPlacedWorld();
  const west = world.api('west');
  west.before = ({ method }) => {
    if (method !== 'POST') return;
    west.before = () => {};
    throw new UnavailableError('no answer within 3 s');
  };
  await world.workFor(2);
  world.shows('west', 'pi', RUNS);
  const copy = structuredClone(world.job('west', 'pi'));
  world.removes('west', 'pi');
  return { world, copy };
}

describe('a member whose creation was requested twice, and that another client has deleted (J-16.19)', () => {
  it('is replaced in another cluster only when the first request cannot arrive any more', async () => {
    const { world } = await aJobAskedForTwice();
    await world.workFor(10);
    expect(world.grants()).toMatchObject([{ gone: true }]);
    expect(world.grants()[0]?.ended).toBeUndefined();
    expect([...world.api('north').jobs.keys()]).toEqual([]);
    await world.workFor(10);
    expect(world.grants()).toMatchObject([{ ended: { reason: 'gone' } }, { member: { name: 'pi-m2' } }]);
  });

  it('is stopped when the first request creates it again, before another cluster gets a grant', async () => {
    const { world, copy } = await aJobAskedForTwice();
    copy.metadata.uid = 'late';
    world.api('west').jobs.set('pi', copy);
    world.shows('west', 'pi', RUNS);
    const sent = await world.workFor(30);
    expect(sent).toContain('ChangeMember west/pi (suspend)');
    expect(world.grants()).toMatchObject([{ member: { uid: 'late' }, stopping: 'again' }]);
    expect([...world.api('north').jobs.keys()]).toEqual([]);
    world.shows('west', 'pi', IS_SUSPENDED);
    await world.work();
    expect(world.grants()).toMatchObject([{ ended: { reason: 'stopped' } }, { name: 'pi-m2' }]);
  });
});

describe('a member whose creation was requested twice, and that is stopped (J-16.10)', () => {
  it('is replaced in another cluster only when the first request to create it cannot arrive any more', async () => {
    const world = aPlacedWorld();
    const west = world.api('west');
    west.before = ({ method }) => {
      if (method !== 'POST') return;
      west.before = () => {};
      throw new UnavailableError('no answer within 3 s');
    };
    await world.workFor(2);
    world.shows('west', 'pi', RUNS);
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    world.shows('west', 'pi', IS_SUSPENDED);
    await world.workFor(10);
    expect(world.grants()).toMatchObject([{ stopping: 'drain', pods: { open: 0 } }]);
    expect(world.grants()[0]?.ended).toBeUndefined();
    await world.workFor(10);
    expect(world.grants()).toMatchObject([{ ended: { reason: 'stopped' } }, { name: 'pi-m2' }]);
  });
});

describe('a cluster that is restored from a copy in which the member does not run (J-16.19)', () => {
  it('retains its grant until its kubelets have ended pods that have no object any more', async () => {
    const { world } = await aRunningJob();
    const { uid } = world.job('west', 'pi').metadata;
    world.api('west').jobs.delete('pi');
    world.fold({
      type: 'member.deleted',
      cluster: 'west',
      uid,
      name: 'pi',
      resourceVersion: '1',
      epoch: 1,
    });
    const start = world.now;
    await world.workFor(89);
    expect(world.grants()).toMatchObject([{ gone: true, restoredAt: start }]);
    expect(world.grants()[0]?.ended).toBeUndefined();
    await world.workFor(61);
    expect(world.grants()).toMatchObject([{ ended: { reason: 'gone' } }, { number: 2 }]);
  });

  it('retains its grant until its kubelets have ended the pods of the member, also when the copy shows the member as suspended', async () => {
    const { world } = await aRunningJob();
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    world.job('west', 'pi').spec.suspend = true;
    world.shows('west', 'pi', IS_SUSPENDED, 1);
    await world.workFor(60);
    expect(world.grants()[0]?.ended).toBeUndefined();
    await world.workFor(90);
    expect(world.grants()).toMatchObject([{ ended: { reason: 'stopped' } }, { cluster: 'north' }]);
  });
});

describe('a member whose Job has moved because the cluster of the member did not answer (J-16.18)', () => {
  it('is stopped when its cluster answers again, even if a change of it had no answer during the silence', async () => {
    const { world } = await aRunningJob({ 'if-cluster-is-lost': 'MoveAfter=20s' });
    const west = world.api('west');
    west.before = () => {
      throw new UnavailableError('no answer within 3 s');
    };
    world.edit(({ spec }) => void (spec.parallelism = 2));
    await world.workFor(10);
    world.availability = { west: { silentSince: world.now } };
    world.candidates = [{ cluster: 'north', room: 9 }];
    await world.workFor(20);
    expect(world.grants()).toMatchObject([{ ended: { reason: 'time' } }, { cluster: 'north' }]);
    west.before = () => {};
    world.availability = {};
    expect(await world.work()).toEqual(expect.arrayContaining(['ChangeMember west/pi (suspend)']));
    expect(world.job('west', 'pi').spec.suspend).toBe(true);
  });
});

describe('a finished placed Job whose TTL has passed and whose earlier member runs again (J-10.4, J-16.18)', () => {
  it('is deleted only after that member is stopped and reported', async () => {
    const world = aPlacedWorld({ spec: { ttlSecondsAfterFinished: 0 } });
    await world.work();
    world.shows('west', 'pi', RUNS);
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    world.shows('west', 'pi', IS_SUSPENDED);
    await world.work();
    world.shows('north', 'pi-m2', IS_SUSPENDED);
    await world.work();
    const ended = new Date(world.now).toISOString();
    world.shows('north', 'pi-m2', {
      startTime: ended,
      completionTime: ended,
      succeeded: 4,
      completedIndexes: '0-3',
      conditions: [
        { type: 'SuccessCriteriaMet', status: 'True', lastTransitionTime: ended },
        { type: 'Complete', status: 'True', lastTransitionTime: ended },
      ],
    });
    await world.work();
    world.availability = {};
    delete world.job('west', 'pi').spec.suspend;
    world.shows('west', 'pi', RUNS);
    world.ttl = true;
    world.pass(5);
    const sent = await world.work();
    expect(sent).toEqual(
      expect.arrayContaining(['ChangeMember west/pi (suspend)', 'EmitEvents', 'DeleteJob']),
    );
  });
});

describe('a request to resume a member that arrives late', () => {
  it('does not resume the member when the member has changed after the request was decided', async () => {
    const { world } = await aRunningJob();
    world.edit(({ spec }) => {
      spec.suspend = true;
    });
    await world.work();
    world.shows('west', 'pi', IS_SUSPENDED);
    await world.work();
    world.edit(({ spec }) => {
      delete spec.suspend;
    });
    const late: (() => Promise<unknown>)[] = [];
    const { client } = world.api('west');
    world.api('west').before = (request) => {
      if (request.method !== 'PATCH') return;
      world.api('west').before = () => {};
      late.push(() => client.request(request));
      throw new Error('the worker dies');
    };
    const decision = world.decide();
    if (decision === null) throw new Error('nothing is decided');
    await expect(world.carryOut(decision)).rejects.toThrow('the worker dies');
    const member = world.job('west', 'pi');
    member.status = { ...IS_SUSPENDED, failed: 1 };
    world.api('west').bump(member);
    await expect(late[0]?.()).rejects.toThrow('modified');
    expect(member.spec.suspend).toBe(true);
  });
});

describe('a member that is being deleted with its Job while its cluster is restored (J-16.17)', () => {
  it('is deleted again when the copy contains it', async () => {
    const { world, copy } = await aRunningJob();
    world.edit(({ metadata }) => {
      metadata.deletionTimestamp = new Date(world.now).toISOString();
    });
    expect(await world.work()).toEqual(['DeleteMember west/pi']);
    restores(world, copy);
    expect(await world.work()).toEqual(['DeleteMember west/pi']);
    expect([...world.api('west').jobs.keys()]).toEqual([]);
  });
});
