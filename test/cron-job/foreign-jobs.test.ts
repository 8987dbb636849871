import { describe, expect, it } from '@jest/globals';
import type { Job, OwnerReference } from '../../workflows/kubernetes/objects.ts';
import {
  aWorld,
  deliver,
  finish,
  observe,
  observeJob,
  putJob,
  remove,
  replayed,
  runUntil,
  time,
  work,
  type World,
} from './world.ts';

const T0 = '2026-03-01T12:00:00Z';

/** A finished Job that says that the CronJob is its controller. */
function aStranger(
  world: World,
  { namespace = 'default', ...owner }: Partial<OwnerReference> & { namespace?: string },
): Job {
  const job = putJob(world, `stranger-${world.version}`);
  world.jobs.delete(job.metadata.name);
  const [reference] = job.metadata.ownerReferences ?? [];
  return {
    ...job,
    metadata: { ...job.metadata, namespace, ownerReferences: [{ ...reference, ...owner } as OwnerReference] },
    status: {
      startTime: '2026-03-01T13:00:00Z',
      completionTime: '2026-03-01T14:00:00Z',
      conditions: [{ type: 'Complete', status: 'True' }],
    },
  };
}

describe.each([
  ['in another namespace', { namespace: 'attacker' }],
  ['of another name', { name: 'other' }],
  ['of another kind', { kind: 'Deployment' }],
  ['of another group', { apiVersion: 'example.com/v1' }],
])('a Job that names the UID of a CronJob %s', (_title, owner) => {
  it('does not make the history limit delete a Job of the CronJob, and does not count as a success (J-9.12, B-20)', () => {
    const world = aWorld({ successfulJobsHistoryLimit: 1 }, T0);
    runUntil(world, time('2026-03-01T12:01:30Z'));
    finish(world, 'tick-29539441');
    for (let each = 0; each < 3; each += 1) observeJob(world, aStranger(world, owner));
    work(world);
    expect(world.jobs.has('tick-29539441')).toBe(true);
    expect(world.cronJob.status?.lastSuccessfulTime).toBe('2026-03-01T12:01:30Z');
    expect(replayed(world.stream).differing).toEqual([]);
  });

  it('is not a child of the CronJob, even when it is recorded before the CronJob', () => {
    const world = aWorld({ successfulJobsHistoryLimit: 1 }, T0);
    world.inbox = [];
    world.stream = [];
    observeJob(world, aStranger(world, owner));
    finish(world, putJob(world, 'tick-1').metadata.name);
    observe(world);
    work(world);
    expect(Object.values(world.state.children).map(({ name }) => name)).toEqual(['tick-1']);
    expect(world.jobs.has('tick-1')).toBe(true);
    expect(world.cronJob.status?.lastSuccessfulTime).toBe(T0);
  });
});

describe('a Job of another namespace in the stream of a CronJob', () => {
  it('does not hide a Job of the CronJob that is recorded later with an older version', () => {
    const world = aWorld({}, T0);
    const own = putJob(world, 'tick-1');
    const stranger = aStranger(world, { namespace: 'attacker' });
    observeJob(world, { ...stranger, metadata: { ...stranger.metadata, resourceVersion: '900000' } });
    observeJob(world, own);
    work(world);
    expect(Object.values(world.state.children).map(({ name }) => name)).toEqual(['tick-1']);
  });

  it('does not affect the CronJob by its deletion', () => {
    const world = aWorld({}, T0);
    work(world);
    const own = putJob(world, 'tick-1');
    world.jobs.set('stranger', aStranger(world, { namespace: 'attacker' }));
    world.version = 900_000;
    remove(world, 'stranger');
    observeJob(world, own);
    work(world);
    expect(Object.values(world.state.children).map(({ name }) => name)).toEqual(['tick-1']);
  });
});

describe('a list of Jobs that begins with a Job of another owner', () => {
  it('shows also the Jobs of the CronJob that follow in the list', () => {
    const world = aWorld({}, T0);
    work(world);
    const stray = putJob(world, 'stray', 'another-uid');
    const own = putJob(world, 'tick-29539441');
    const listedAt = String(world.version);
    observeJob(world, stray, listedAt);
    observeJob(world, own, listedAt);
    deliver(world);
    expect(Object.keys(world.state.children)).toEqual([own.metadata.uid]);
  });

  it('shows the following Jobs also when the CronJob becomes known in the middle of the list', () => {
    const world = aWorld({}, T0);
    const [itself] = world.inbox.splice(0);
    if (itself === undefined) throw new Error('the CronJob was not observed');
    const stranger = aStranger(world, { name: 'other' });
    const own = putJob(world, 'tick-29539441');
    const listedAt = String(world.version);
    observeJob(world, stranger, listedAt);
    world.inbox.push(itself);
    observeJob(world, own, listedAt);
    deliver(world);
    expect(Object.keys(world.state.children)).toEqual([own.metadata.uid]);
  });
});
