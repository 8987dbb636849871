import { describe, expect, it } from '@jest/globals';
import type { Job, JobStatus } from '../../workflows/kubernetes/objects.ts';
import {
  recordableMembers,
  seenMember,
  type SeenMember,
} from '../../workflows/placement/definitions/seen.ts';
import { memberFacts } from '../../workflows/placement/observe/compact.ts';
import { aJob } from '../support/builders.ts';
import { given } from '../support/given.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' };
const IS_COMPLETE: JobStatus = {
  startTime: '2026-03-01T12:00:00Z',
  completionTime: '2026-03-01T12:00:09Z',
  succeeded: 4,
  completedIndexes: '0-3',
  conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True', message: 'done' })),
};
const IS_SUSPENDED: JobStatus = {
  conditions: [{ type: 'Suspended', status: 'True', message: 'Job suspended' }],
};

/** The member of the first grant, as an answer to its own controller has shown it. */
function observeMember(world: PlacedWorld, change: (job: Job) => void, name = 'pi'): SeenMember {
  const job = structuredClone(world.job('west', name));
  job.metadata.resourceVersion = '500';
  change(job);
  const { cluster: _cluster, name: _name, namespace: _namespace, ...seen } = memberFacts('west', job);
  return { ...seen, grant: 1 };
}

/** The member runs; then it is deleted, and the watch has not shown the status that its controller had written. */
async function aLostStatus(annotations: Record<string, string>, status: JobStatus): Promise<PlacedWorld> {
  const world = aPlacedWorld({ annotations, clusters: ['west'] });
  await world.work();
  world.shows('west', 'pi', RUNS);
  await world.work();
  world.pass(9);
  world.seen = [observeMember(world, (job) => void (job.status = status))];
  world.leftBy = { 1: { failures: {}, uncountedPodCount: 0 } };
  world.removes('west', 'pi');
  return world;
}

describe('a status of a member that its controller has written, and that no watch has shown (BR-53, J-16.7)', () => {
  it.each([{}, { spread: 'even' }])(
    'ends the placed Job when it contains the end of the member (%j)',
    async (annotations) => {
      const world = await aLostStatus(annotations, IS_COMPLETE);
      const sent = await world.workFor(60);
      expect(sent).not.toContain('CreateMember west/pi-m2');
      expect(world.job('east', 'pi').status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
      expect(world.job('east', 'pi').status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Complete', status: 'True' }),
      );
    },
  );

  it('is continued by the next member', async () => {
    const world = await aLostStatus({}, { ...RUNS, active: 2, succeeded: 2, completedIndexes: '0,1' });
    await world.workFor(60);
    expect(world.job('west', 'pi-m2').status).toMatchObject({ succeeded: 2, completedIndexes: '0,1' });
    expect(world.job('east', 'pi').status).toMatchObject({ succeeded: 2, completedIndexes: '0,1' });
  });

  it.each([
    ['an older version', { resourceVersion: '1' }],
    ['another Job', { uid: 'another' }],
    ['another grant', { grant: 2 }],
    ['another epoch', { epoch: 1 }],
  ])('does not count when it belongs to %s', async (_what, other) => {
    const world = await aLostStatus({}, IS_COMPLETE);
    world.seen = world.seen?.map((each) => ({ ...each, ...other }));
    await world.workFor(60);
    expect(world.job('west', 'pi-m2').status?.succeeded ?? 0).toBe(0);
    expect(world.grants()[0]?.member?.status).toEqual(RUNS);
  });
});

/** The member in west was stopped, and its grant has ended; the next member is created within 10 seconds. */
async function aStoppedMember(): Promise<PlacedWorld> {
  const world = aPlacedWorld();
  await world.work();
  world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
  await world.work();
  world.shows('west', 'pi', IS_SUSPENDED);
  world.unread = 'the home does not answer';
  expect(await world.work()).toContain('EndGrant west/pi (stopped)');
  world.unread = null;
  return world;
}

/** Another client resumes the member, at this version. */
function resume(world: PlacedWorld, version: string): void {
  const { spec, metadata } = world.job('west', 'pi');
  delete spec.suspend;
  metadata.resourceVersion = version;
}

describe('a member that a person resumed after its grant had ended (J-16.18)', () => {
  it('is stopped when only a response to its own controller has shown that it runs', async () => {
    const world = await aStoppedMember();
    resume(world, '500');
    world.seen = [observeMember(world, () => undefined)];
    const sent = await world.workFor(11);
    expect(sent).toContain('CreateMember north/pi-m2');
    expect(sent).toContain('ChangeMember west/pi (suspend)');
    expect(world.api('east').events.map(({ reason }) => reason)).toContain('Overlap');
    expect(world.job('west', 'pi').spec.suspend).toBe(true);
  });

  it('is stopped when it is observed in a restored copy of its cluster, after a response from before the restore was read', async () => {
    const world = await aStoppedMember();
    world.seen = [observeMember(world, () => undefined)];
    expect(await world.workFor(11)).toContain('CreateMember north/pi-m2');
    resume(world, '120');
    world.observe('west', 'pi', 1);
    expect(await world.work()).toContain('ChangeMember west/pi (suspend)');
  });

  it('is stopped when it is observed in a restored copy of its cluster, before a response from before the restore is read', async () => {
    const world = await aStoppedMember();
    world.seen = [observeMember(world, () => undefined)];
    resume(world, '120');
    world.observe('west', 'pi', 1);
    expect(await world.workFor(11)).toContain('ChangeMember west/pi (suspend)');
  });
});

describe('the state that a member records for its home', () => {
  const KNOWN = { resourceVersion: '5', generation: 1 };
  const { state } = given(aJob({ status: { succeeded: 1 } }));

  it('has the version, the spec and the status of the member', () => {
    const { job } = state;
    expect(seenMember(state, 3, { ...KNOWN, resourceVersion: '' })).toEqual({
      grant: 3,
      uid: job?.uid,
      resourceVersion: job?.resourceVersion,
      generation: job?.generation,
      spec: {
        parallelism: job?.spec.parallelism,
        completions: job?.spec.completions,
        backoffLimit: job?.spec.backoffLimit,
      },
      status: { succeeded: 1 },
    });
    expect(
      seenMember({ ...state, job: job && { ...job, deleting: true } }, 3, { ...KNOWN, resourceVersion: '' }),
    ).toMatchObject({ deleting: true });
  });

  it('is omitted when the home knows that version, or when the version is of another epoch', () => {
    const known = { ...KNOWN, resourceVersion: state.job?.resourceVersion ?? '' };
    expect(seenMember(state, 1, known)).toBeNull();
    expect(seenMember(state, 1, { ...KNOWN, resourceVersion: '', epoch: 1 })).toBeNull();
    expect(seenMember({ ...state, job: null }, 1, KNOWN)).toBeNull();
  });

  it('is omitted after a restore of its cluster until a status shows counters that are not lower than before', () => {
    const pod = { ...given(aJob()).state };
    const restored = given(aJob({ status: { succeeded: 1 } })).and({
      id: 'pod',
      digest: '',
      epoch: 1,
      type: 'pod.deleted',
      uid: 'a-pod',
      name: 'a-pod',
      resourceVersion: '1',
    }).state;
    expect(pod.epoch).toBe(0);
    expect(restored.epoch).toBe(1);
    expect(seenMember(restored, 1, { ...KNOWN, resourceVersion: '', epoch: 1 })).toBeNull();
  });

  it('is omitted when the states together would exceed a maximum length', () => {
    const one = { grant: 1, uid: 'u', ...KNOWN, spec: {}, status: { completedIndexes: '0,'.repeat(60_000) } };
    expect(recordableMembers([one, { ...one, grant: 2 }]).map(({ grant }) => grant)).toEqual([1]);
  });
});
