import { describe, expect, it } from '@jest/globals';
import type { Condition, Job, JobStatus } from '../../workflows/kubernetes/objects.ts';
import { objectionsTo } from '../support/model-cluster-status.ts';
import { placedJobFacts } from '../../workflows/placement/observe/compact.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { refusalError } from './a-small-api.ts';

// The API server of the home validates each status (J-1.40). One that it refuses is refused for ever, and the Job never shows its end.

/** Lets the home validate. Returns what it objects to. */
function objectionsAtHome(world: PlacedWorld): string[] {
  const objections: string[] = [];
  world.api('east').before = ({ method, path, body }) => {
    if (!path.includes('/status') || method !== 'PATCH') return;
    const home = world.job('east', 'pi');
    const found = objectionsTo(home, withPatch(home.status ?? {}, (body as Job).status ?? {}));
    objections.push(...found);
    if (found.length > 0) throw refusalError(422, 'Invalid', found.join('; '), path);
  };
  return objections;
}

function withPatch(status: JobStatus, patch: object): JobStatus {
  return Object.fromEntries(Object.entries({ ...status, ...patch }).filter(([, value]) => value !== null));
}

const INDEXES = { succeeded: 4, completedIndexes: '0-3' };
const SUSPENDED = { conditions: [{ type: 'Suspended', status: 'True' }] };
const COMPLETE = ended('SuccessCriteriaMet', 'Complete', 'CompletionsReached');
const FAILED = ended('FailureTarget', 'Failed', 'BackoffLimitExceeded');

function ended(interim: string, type: string, reason: string): Condition[] {
  return [interim, type].map((each) => ({ type: each, status: 'True', reason, message: reason }));
}

const now = (world: PlacedWorld): string => new Date(world.now).toISOString().replace('.000', '');

/** Lets a Job run in west. Returns its start there. */
async function runInWest(world: PlacedWorld): Promise<string> {
  await world.work();
  const startTime = now(world);
  world.shows('west', 'pi', { active: 4, ready: 4, startTime });
  await world.work();
  return startTime;
}

/** The member completes. */
async function complete(
  world: PlacedWorld,
  {
    cluster = 'west',
    name = 'pi',
    epoch = 0,
    ...status
  }: JobStatus & { cluster?: string; name?: string; epoch?: number },
): Promise<void> {
  const { conditions = [] } = status;
  const completionTime = now(world);
  world.shows(
    cluster,
    name,
    { ...INDEXES, ...status, completionTime, conditions: [...conditions, ...COMPLETE] },
    epoch,
  );
  await world.workFor(60);
}

function shownEnds(world: PlacedWorld): string[] {
  const types = (world.job('east', 'pi').status?.conditions ?? []).map(({ type }) => type);
  return types.filter((type) => [...COMPLETE, ...FAILED].some((end) => end.type === type));
}

describe('a started placed Job, whose start time is immutable (J-1.40)', () => {
  it('completes without a refused status after it moved, and was suspended and resumed unobserved (J-16.8)', async () => {
    const world = aPlacedWorld();
    const objections = objectionsAtHome(world);
    await runInWest(world);
    world.pass(100);
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    world.shows('west', 'pi', SUSPENDED);
    await world.work();
    world.pass(5);
    const startTime = now(world);
    world.shows('north', 'pi-m2', { active: 4, ready: 4, startTime });
    await world.work();
    for (const isSuspended of [true, false])
      world.edit(({ spec }) => {
        spec.suspend = isSuspended;
      });
    await world.workFor(30);
    await complete(world, { cluster: 'north', name: 'pi-m2', startTime });
    expect([objections, shownEnds(world)]).toEqual([[], ['SuccessCriteriaMet', 'Complete']]);
  });

  it('completes without a refused status when its member was suspended and resumed unobserved (J-16.8)', async () => {
    const world = aPlacedWorld();
    const objections = objectionsAtHome(world);
    await runInWest(world);
    world.pass(10);
    for (const isSuspended of [true, false]) {
      world.edit(({ spec }) => {
        spec.suspend = isSuspended;
      });
      await world.work();
      world.pass(2);
    }
    const resumed: JobStatus = {
      startTime: now(world),
      conditions: [{ type: 'Suspended', status: 'False' }],
    };
    world.shows('west', 'pi', { active: 4, ready: 4, ...resumed });
    await world.workFor(30);
    await complete(world, resumed);
    expect([objections, shownEnds(world)]).toEqual([[], ['SuccessCriteriaMet', 'Complete']]);
  });

  it('completes without a refused status after its home was restored with an earlier start time, as a spread Job (J-17.6)', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'even' }, clusters: ['west'] });
    const objections = objectionsAtHome(world);
    await runInWest(world);
    const copy = structuredClone(world.job('east', 'pi'));
    world.pass(10);
    for (const isSuspended of [true, false]) {
      world.edit(({ spec }) => {
        spec.suspend = isSuspended;
      });
      await world.work();
      world.pass(2);
      if (isSuspended) world.shows('west', 'pi', SUSPENDED);
    }
    world.shows('west', 'pi', { active: 4, ready: 4, startTime: now(world) });
    await world.workFor(5);
    world.api('east').jobs.set('pi', copy);
    world.fold({ type: 'job.observed', epoch: 1, job: placedJobFacts('east', structuredClone(copy)) });
    await world.workFor(30);
    await complete(world, { startTime: now(world) });
    expect([objections, shownEnds(world)]).toEqual([[], ['SuccessCriteriaMet', 'Complete']]);
  });
});

describe('a placed Job whose member is about to fail', () => {
  it('completes without a refused status when its cluster is restored and the member completes in the copy (J-1.40, J-16.8)', async () => {
    const world = aPlacedWorld();
    const objections = objectionsAtHome(world);
    const startTime = await runInWest(world);
    world.shows('west', 'pi', { startTime, failed: 7, terminating: 3, conditions: FAILED.slice(0, 1) });
    await world.work();
    world.epochs = { west: 1 };
    world.shows('west', 'pi', { active: 4, ready: 4, startTime }, 1);
    await world.workFor(30);
    await complete(world, { startTime, epoch: 1 });
    expect([objections, shownEnds(world)]).toEqual([[], ['SuccessCriteriaMet', 'Complete']]);
  });

  it('completes without a refused status when backoffLimit is raised and another member completes (J-1.40, J-16.7)', async () => {
    const world = aPlacedWorld({ spec: { backoffLimit: 1 } });
    const objections = objectionsAtHome(world);
    const startTime = await runInWest(world);
    world.shows('west', 'pi', { startTime, failed: 2, terminating: 3, conditions: FAILED.slice(0, 1) });
    await world.work();
    world.edit(({ spec }) => {
      spec.backoffLimit = 100;
    });
    world.shows('west', 'pi', { startTime, failed: 2, conditions: FAILED });
    await world.workFor(30);
    const { name = '', cluster = '' } = world.grants().at(-1) ?? {};
    expect(name).toBe('pi-m2');
    await complete(world, { cluster, name, startTime, failed: 2 });
    expect([objections, shownEnds(world)]).toEqual([[], ['SuccessCriteriaMet', 'Complete']]);
  });
});

/** The words of the built-in controller (J-6.5). */
const DEADLINE_MESSAGE = 'Job was active longer than specified deadline';

describe('a placed Job whose member is about to complete', () => {
  it('fails at its deadline without a refused status when its cluster is lost before (J-1.40, J-6.5)', async () => {
    const world = aPlacedWorld({ spec: { activeDeadlineSeconds: 3600 }, clusters: ['west'] });
    const objections = objectionsAtHome(world);
    const startTime = await runInWest(world);
    world.shows('west', 'pi', { startTime, ...INDEXES, terminating: 1, conditions: COMPLETE.slice(0, 1) });
    await world.work();
    world.availability = { west: { silentSince: world.now, lost: { by: 'ann', at: world.now } } };
    world.candidates = [];
    await world.workFor(7200);
    expect([objections, shownEnds(world)]).toEqual([[], ['FailureTarget', 'Failed']]);
    expect(world.job('east', 'pi').status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Failed', reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE }),
    );
  });
});

describe('a placed Indexed Job whose completions were lowered, and then its parallelism', () => {
  it.each([undefined, 'even'])(
    'retains the counter succeeded in its status, which the API server does not allow to be lowered, spread: %s (J-1.40, J-5.36)',
    async (spread) => {
      const world = aPlacedWorld({
        ...(spread !== undefined && { annotations: { spread } }),
        clusters: ['west'],
      });
      const objections = objectionsAtHome(world);
      const startTime = await runInWest(world);
      world.shows('west', 'pi', { active: 1, ready: 1, startTime, succeeded: 3, completedIndexes: '0,2-3' });
      await world.work();
      for (const [completions, parallelism] of [
        [2, 2],
        [2, 1],
      ])
        world.edit(({ spec }) => Object.assign(spec, { completions, parallelism }));
      await world.workFor(60);
      const { succeeded, completedIndexes } = world.job('east', 'pi').status ?? {};
      expect([objections, succeeded, completedIndexes]).toEqual([[], 3, '0']);
    },
  );
});
