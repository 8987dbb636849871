import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' };
const HAS_FAILED = {
  failed: 1,
  conditions: ['FailureTarget', 'Failed'].map((type) => ({
    type,
    status: 'True',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
  })),
};

describe('a decision about a placed Job (J-16.20)', () => {
  it('is not repeated without a delay when a spread Job ends while the creation of a member is unknown', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'even' }, spec: { backoffLimit: 0 } });
    world.api('north').before = () => {
      throw new UnavailableError('connection refused');
    };
    await world.work();
    world.pass(30);
    world.shows('west', 'pi', HAS_FAILED);
    await world.work();
    world.api('north').before = () => {};
    world.pass(60);
    expect(await world.work()).toEqual(
      expect.arrayContaining(['LookUpMember north/pi-m2', 'EndGrant north/pi-m2 (refused)', 'WriteStatus']),
    );
    expect(world.job('east', 'pi').status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Failed', status: 'True' }),
    );
  });

  it.each([
    ['scaled', 'older versions'],
    ['drained', 'older versions'],
    ['scaled', 'the version that was seen last'],
    ['drained', 'the version that was seen last'],
  ])(
    'is not repeated without a delay when the Job is %s, and a restored cluster with an unknown epoch answers with %s',
    async (change, versions) => {
      const world = aPlacedWorld();
      await world.work();
      const copy = structuredClone(world.job('west', 'pi'));
      for (const ready of [0, 1, 2, 3]) world.shows('west', 'pi', { ...RUNS, ready });
      await world.work();
      const west = world.api('west');
      west.jobs.set('pi', copy);
      const known = world.grants()[0]?.member?.resourceVersion;
      let version = 1;
      west.after = () => {
        const member = west.jobs.get('pi');
        if (member === undefined) return;
        version += 1;
        member.metadata.resourceVersion =
          versions === 'older versions' || known === undefined ? String(version) : known;
      };
      if (change === 'drained')
        world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
      else
        world.edit(({ spec }) => {
          spec.parallelism = 2;
        });
      const sent = await world.work();
      expect(sent.filter((each) => each.startsWith('ChangeMember'))).toHaveLength(1);
      expect(world.state().waiting).toMatchObject({ rule: 'J-16.20' });
      expect(world.state().waiting?.message).toContain(
        'answers with an older version than the one seen last',
      );
    },
  );

  it('is not repeated without a delay when an admission controller in the member’s cluster retains the old parallelism', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', RUNS);
    await world.work();
    world.api('west').admit = ({ spec }) => {
      spec.parallelism = Math.min(spec.parallelism ?? 1, 4);
    };
    world.edit(({ spec }) => {
      spec.parallelism = 8;
    });
    expect(await world.work()).toEqual(['ChangeMember west/pi', 'EmitEvents']);
    expect(world.state().waiting).toMatchObject({ rule: 'J-16.20' });
    expect(world.state().waiting?.message).toContain('has kept parallelism 4');
    expect(world.nextDecisionAt).toBe(world.now + 1000);
  });

  it('is not repeated without a delay when the member’s cluster suspends the member each time, and one Event at home names the difference (BR-54)', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', RUNS);
    await world.work();
    world.api('west').admit = ({ spec }) => {
      spec.suspend = true;
    };
    world.edit(({ spec }) => {
      spec.parallelism = 8;
    });
    const sent = await world.workFor(120);
    expect(sent.filter((each) => each.startsWith('ChangeMember')).length).toBeLessThan(9);
    expect(world.api('east').events.filter(({ reason }) => reason === 'MemberDiffers')).toEqual([
      expect.objectContaining({ type: 'Warning', message: 'the cluster west has kept suspend true' }),
    ]);
  });

  it('is not repeated when the versions of the member’s cluster have started over after a restore', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', RUNS);
    await world.work();
    world.shows('west', 'pi', RUNS, 1);
    world.edit(({ spec }) => {
      spec.parallelism = 2;
    });
    expect(await world.work()).toEqual(['ChangeMember west/pi']);
    expect(world.grants()[0]?.member).toMatchObject({ epoch: 1, spec: { parallelism: 2 } });
  });

  it.each(['999999999', '999999999999999'])(
    'is not repeated without a delay when a user has written the grant number %s into the annotation of a member',
    async (number) => {
      const world = aPlacedWorld({ annotations: { spread: 'even' }, clusters: ['west'] });
      await world.work();
      Object.assign(world.job('west', 'pi').metadata.annotations ?? {}, {
        'jobledger.dev/indexes': `${number}:0-3`,
      });
      world.shows('west', 'pi', {
        ...RUNS,
        conditions: [{ type: 'jobledger.dev/Indexes', status: 'True', message: `${number}:0-3` }],
      });
      const sent = await world.work();
      expect(sent.filter((each) => each === 'ChangeMember west/pi').length).toBeLessThanOrEqual(1);
    },
  );
});

describe('pods of a placed Job that wait for a node (J-16.11)', () => {
  /** A pod of the member that no node takes. */
  function waits(world: PlacedWorld, { cluster, name }: { cluster: string; name: string }): void {
    const { uid } = world.job(cluster, name).metadata;
    world.api(cluster).pods.push({
      metadata: {
        name: `${name}-0-x`,
        namespace: 'team',
        uid: 'pod-1',
        resourceVersion: '1',
        labels: { 'batch.kubernetes.io/controller-uid': uid },
        creationTimestamp: new Date(world.now).toISOString(),
      },
      spec: { containers: [] },
      status: { phase: 'Pending' },
    });
  }

  it('are listed every 15 s, so that the Job moves within 16 s when another cluster has room', async () => {
    const world = aPlacedWorld({ annotations: { 'spill-after': '30s' } });
    await world.work();
    world.shows('west', 'pi', { active: 1, startTime: new Date(world.now).toISOString() });
    waits(world, { cluster: 'west', name: 'pi' });
    world.candidates = [
      { cluster: 'west', room: 0 },
      { cluster: 'north', room: 0 },
    ];
    const sent = await world.workFor(300);
    expect(sent.filter((each) => each === 'LookUpMember west/pi').length).toBeGreaterThanOrEqual(16);
    world.candidates = [
      { cluster: 'west', room: 0 },
      { cluster: 'north', room: 9 },
    ];
    expect(await world.workFor(16)).toContain('ChangeMember west/pi (suspend)');
    world.api('west').pods.length = 0;
    world.shows('west', 'pi', {
      conditions: [{ type: 'Suspended', status: 'True' }],
      startTime: new Date(world.now).toISOString(),
    });
    expect(await world.work()).toEqual(
      expect.arrayContaining([
        'LookUpMember west/pi',
        'EndGrant west/pi (stopped)',
        'CreateMember north/pi-m2',
      ]),
    );
  });
});
