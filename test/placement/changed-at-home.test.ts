import { describe, expect, it } from '@jest/globals';
import type { Job, JobStatus } from '../../workflows/kubernetes/objects.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const STARTED = '2026-03-01T12:00:00Z';
const RUNS: JobStatus = { active: 4, ready: 4, startTime: STARTED };

function ended(interim: string, type: string, reason: string): NonNullable<JobStatus['conditions']> {
  return [interim, type].map((each) => ({ type: each, status: 'True', reason, message: reason }));
}

const COMPLETE: JobStatus = {
  startTime: STARTED,
  completionTime: '2026-03-01T12:01:00Z',
  succeeded: 4,
  completedIndexes: '0-3',
  conditions: ended('SuccessCriteriaMet', 'Complete', 'CompletionsReached'),
};

/** A Job that runs in west. */
async function aRunningJob(fields: Parameters<typeof aPlacedWorld>[0] = {}): Promise<PlacedWorld> {
  const world = aPlacedWorld(fields);
  await world.work();
  world.shows('west', 'pi', { ...RUNS, startTime: new Date(world.now).toISOString() });
  await world.work();
  return world;
}

function trueConditions({ status }: Job): string[] {
  return (status?.conditions ?? []).filter(({ status: is }) => is === 'True').map(({ type }) => type);
}

describe('a member that ends, perhaps because of values that the Job had earlier (J-16.7)', () => {
  it('does not complete a Job that was scaled up: another member runs the other indexes', async () => {
    const world = await aRunningJob();
    world.edit(({ spec }) => {
      spec.completions = 8;
      spec.parallelism = 8;
    });
    world.shows('west', 'pi', COMPLETE);
    const sent = await world.work();
    expect(trueConditions(world.job('east', 'pi'))).not.toContain('Complete');
    expect(sent).toEqual(expect.arrayContaining(['EndGrant west/pi (ended)', 'CreateMember west/pi-m2']));
    expect(world.job('west', 'pi-m2')).toMatchObject({
      spec: { completions: 8, parallelism: 8 },
      status: { succeeded: 4, completedIndexes: '0-3' },
    });
  });

  it.each<[string, (job: Job) => void, NonNullable<JobStatus['conditions']>]>([
    [
      'backoffLimit was raised',
      ({ spec }) => {
        spec.backoffLimit = 100;
      },
      ended('FailureTarget', 'Failed', 'BackoffLimitExceeded'),
    ],
    [
      'maxFailedIndexes was removed',
      ({ spec }) => {
        delete spec.maxFailedIndexes;
      },
      ended('FailureTarget', 'Failed', 'MaxFailedIndexesExceeded'),
    ],
    [
      'deadline was removed',
      ({ spec }) => {
        delete spec.activeDeadlineSeconds;
      },
      ended('FailureTarget', 'Failed', 'DeadlineExceeded'),
    ],
  ])('does not fail a Job whose %s', async (_what, edit, conditions) => {
    const world = await aRunningJob({
      spec: { backoffLimit: 1, backoffLimitPerIndex: 1, maxFailedIndexes: 1, activeDeadlineSeconds: 60 },
    });
    world.edit(edit);
    world.shows('west', 'pi', { startTime: STARTED, failed: 2, failedIndexes: '0,1', conditions });
    expect(await world.work()).toContain('EndGrant west/pi (ended)');
    expect(trueConditions(world.job('east', 'pi'))).not.toContain('Failed');
    expect(world.grants().at(-1)).toMatchObject({ name: 'pi-m2', continues: { failed: 2 } });
  });

  it.each<[string, JobStatus]>([
    ['completed', COMPLETE],
    ['failed', { ...RUNS, failed: 7, conditions: ended('FailureTarget', 'Failed', 'BackoffLimitExceeded') }],
    ['failed by a policy', { ...RUNS, conditions: ended('FailureTarget', 'Failed', 'PodFailurePolicy') }],
  ])('ends the Job when the author changed no value: the member has %s', async (_what, status) => {
    const world = await aRunningJob();
    world.shows('west', 'pi', status);
    expect(await world.work()).toEqual(expect.arrayContaining(['WriteStatus']));
    expect(trueConditions(world.job('east', 'pi'))).toContain(status.completionTime ? 'Complete' : 'Failed');
  });

  it('does not complete a spread Job that is scaled up just before the decision to complete it is carried out', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'even' }, clusters: ['west'] });
    await world.work();
    world.shows('west', 'pi', RUNS);
    await world.work();
    world.shows('west', 'pi', { startTime: STARTED, succeeded: 4, completedIndexes: '0-3' });
    const decision = world.decide();
    if (decision === null) throw new Error('nothing is decided');
    const home = world.job('east', 'pi');
    home.spec.completions = 8;
    home.spec.parallelism = 8;
    home.metadata.generation = 2;
    world.api('east').bump(home);
    await world.carryOut(decision);
    world.observeHome();
    await world.work();
    expect(world.job('west', 'pi').metadata.annotations?.['jobledger.dev/indexes']).not.toContain('Complete');
    expect(trueConditions(world.job('east', 'pi'))).not.toContain('SuccessCriteriaMet');
  });
});

describe('a change by the author of a running placed Job (J-16.7)', () => {
  it.each<[string, (job: Job) => void, object]>([
    [
      'a longer deadline',
      ({ spec }) => {
        spec.activeDeadlineSeconds = 600;
      },
      { activeDeadlineSeconds: 600 },
    ],
    [
      'a shorter deadline',
      ({ spec }) => {
        spec.activeDeadlineSeconds = 30;
      },
      { activeDeadlineSeconds: 30 },
    ],
    [
      'a higher limit',
      ({ spec }) => {
        spec.backoffLimit = 100;
      },
      { backoffLimit: 100 },
    ],
    [
      'a limit of failed indexes',
      ({ spec }) => {
        spec.maxFailedIndexes = 2;
      },
      { maxFailedIndexes: 2 },
    ],
    [
      'another pod replacement policy',
      ({ spec }) => {
        spec.podReplacementPolicy = 'Failed';
      },
      { podReplacementPolicy: 'Failed' },
    ],
  ])('reaches the member: %s', async (_what, edit, spec) => {
    const world = await aRunningJob({ spec: { activeDeadlineSeconds: 60, backoffLimitPerIndex: 1 } });
    world.edit(edit);
    expect(await world.work()).toContain('ChangeMember west/pi');
    expect(world.job('west', 'pi').spec).toMatchObject(spec);
    world.observe('west', 'pi');
    expect(await world.work()).toEqual([]);
  });

  it('reaches the member when the change removes the deadline and the limit of failed indexes', async () => {
    const world = await aRunningJob({
      spec: { activeDeadlineSeconds: 60, backoffLimitPerIndex: 1, maxFailedIndexes: 2 },
    });
    world.edit(({ spec }) => {
      delete spec.activeDeadlineSeconds;
      delete spec.maxFailedIndexes;
    });
    await world.work();
    expect(world.job('west', 'pi').spec).not.toHaveProperty('activeDeadlineSeconds');
    expect(world.job('west', 'pi').spec).not.toHaveProperty('maxFailedIndexes');
    world.observe('west', 'pi');
    expect(await world.work()).toEqual([]);
  });

  it('reaches the member when the change concerns the annotations about back-off', async () => {
    const world = await aRunningJob({ annotations: { 'backoff-seconds': '5', 'failed-pods-limit': '3' } });
    world.edit(({ metadata: { annotations = {} } }) => {
      annotations['jobledger.dev/backoff-seconds'] = '60';
      delete annotations['jobledger.dev/failed-pods-limit'];
    });
    expect(await world.work()).toContain('ChangeMember west/pi');
    const { annotations } = world.job('west', 'pi').metadata;
    expect(annotations).toMatchObject({ 'jobledger.dev/backoff-seconds': '60' });
    expect(annotations).not.toHaveProperty('jobledger.dev/failed-pods-limit');
    world.observe('west', 'pi');
    expect(await world.work()).toEqual([]);
  });

  it('reaches each member of a spread Job', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'even' }, spec: { activeDeadlineSeconds: 60 } });
    await world.work();
    for (const { cluster, name } of world.grants()) world.shows(cluster, name, RUNS);
    await world.work();
    world.edit(({ spec }) => {
      spec.activeDeadlineSeconds = 600;
      spec.backoffLimit = 9;
    });
    await world.work();
    for (const { cluster, name } of world.grants())
      expect(world.job(cluster, name).spec).toMatchObject({ activeDeadlineSeconds: 600, backoffLimit: 9 });
  });

  it('gives the member the part of a new deadline that remains since the first start of the Job', async () => {
    const world = await aRunningJob({ spec: { activeDeadlineSeconds: 600 } });
    world.pass(100);
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    const suspended = [{ type: 'Suspended', status: 'True' }];
    world.shows('west', 'pi', { conditions: suspended });
    await world.work();
    world.shows('north', 'pi-m2', { conditions: suspended });
    await world.work();
    expect(world.job('north', 'pi-m2').spec).toMatchObject({ activeDeadlineSeconds: 500 });
    world.shows('north', 'pi-m2', { ...RUNS, startTime: new Date(world.now).toISOString() });
    world.pass(50);
    world.edit(({ spec }) => {
      spec.activeDeadlineSeconds = 300;
    });
    await world.work();
    expect(world.job('north', 'pi-m2').spec).toMatchObject({ activeDeadlineSeconds: 200 });
  });

  it('gives the member the largest exact integer of JavaScript as deadline when the new deadline is larger', async () => {
    const world = aPlacedWorld();
    world.edit(({ spec }) => {
      Object.assign(spec, { activeDeadlineSeconds: 9_223_372_036_854_775_807n });
    });
    await world.work();
    expect(world.job('west', 'pi').spec.activeDeadlineSeconds).toBe(Number.MAX_SAFE_INTEGER);
    world.shows('west', 'pi', RUNS);
    expect(await world.work()).not.toContain('ChangeMember west/pi');
  });
});

describe('a placed Indexed Job whose completions are lowered below a succeeded index (J-5.36)', () => {
  const shrunk = (completions: number) => (job: Job) => {
    job.spec.completions = job.spec.parallelism = completions;
  };

  it('shows only its remaining indexes, and is complete when these have succeeded', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', { ...RUNS, active: 1, succeeded: 3, completedIndexes: '0,2,3' });
    await world.work();
    world.edit(shrunk(2));
    await world.work();
    expect(world.job('east', 'pi').status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
    world.shows('west', 'pi', {
      startTime: STARTED,
      succeeded: 2,
      completedIndexes: '0,1',
      completionTime: '2026-03-01T12:05:00Z',
      conditions: ended('SuccessCriteriaMet', 'Complete', 'CompletionsReached'),
    });
    await world.work();
    const { status = {} } = world.job('east', 'pi');
    expect(status).toMatchObject({ succeeded: 2, completedIndexes: '0,1' });
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Complete', status: 'True' }));
  });

  it('shows no completed index when it has lost all of them, also after completions are raised again', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', { ...RUNS, active: 3, succeeded: 1, completedIndexes: '3' });
    await world.work();
    world.edit(shrunk(2));
    await world.work();
    world.shows('west', 'pi', { ...RUNS, active: 2 });
    await world.work();
    world.edit(shrunk(4));
    await world.work();
    const { status = {} } = world.job('east', 'pi');
    expect([status.succeeded, status.completedIndexes]).toEqual([undefined, undefined]);
  });

  it('moves to another cluster with its remaining completed indexes only', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', { ...RUNS, active: 1, succeeded: 3, completedIndexes: '0,2,3' });
    await world.work();
    world.edit(shrunk(2));
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    world.shows('west', 'pi', {
      succeeded: 3,
      completedIndexes: '0,2,3',
      conditions: [{ type: 'Suspended', status: 'True' }],
    });
    await world.work();
    expect(world.job('north', 'pi-m2').status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
  });
});

describe('a placed Job that a user suspends', () => {
  const suspend =
    (isSuspended: boolean) =>
    (job: Job): void => {
      job.spec.suspend = isSuspended;
    };

  it('completes after it is resumed, although its member never showed its suspension (J-16.7, J-16.8)', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.edit(suspend(true));
    await world.work();
    const suspended = world.job('east', 'pi').status?.conditions;
    expect(suspended).toMatchObject([{ type: 'Suspended', status: 'True' }]);
    world.edit(suspend(false));
    await world.work();
    world.shows('west', 'pi', RUNS);
    await world.work();
    expect(world.job('east', 'pi').status).toMatchObject({
      startTime: STARTED,
      conditions: [
        { type: 'Suspended', status: 'False', reason: 'JobResumed' },
        { type: 'jobledger.dev/Placed' },
      ],
    });
    world.shows('west', 'pi', COMPLETE);
    await world.work();
    expect(world.job('east', 'pi').status).toMatchObject({
      startTime: STARTED,
      completionTime: COMPLETE.completionTime,
    });
  });

  it('has a start time when its member ended before the suspension (J-16.8)', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.edit(suspend(true));
    await world.work();
    world.shows('west', 'pi', COMPLETE);
    await world.work();
    expect(world.job('east', 'pi').status).toMatchObject({
      startTime: STARTED,
      completionTime: COMPLETE.completionTime,
    });
  });
});
