import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import type { Job, JobStatus } from '../../workflows/kubernetes/objects.ts';
import { objectionsTo } from '../support/model-cluster-status.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { refusalError } from './a-small-api.ts';

const STARTED = '2026-03-01T12:00:00Z';
const SUSPENDED: JobStatus = {
  ready: 0,
  terminating: 0,
  conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }],
};
const DRAINED = { cordoned: { by: 'anna', at: 0, drain: true } } as const;

/** A suspended Job of four indexes that has left west, where its index 3 had succeeded, for north. */
async function aMovedJob(): Promise<PlacedWorld> {
  const world = aPlacedWorld();
  await world.work();
  const done: JobStatus = { succeeded: 1, completedIndexes: '3', failed: 1 };
  world.shows('west', 'pi', { active: 3, ready: 3, startTime: STARTED, ...done });
  await world.work();
  world.availability = { west: DRAINED };
  await world.work();
  world.edit(({ spec }) => void (spec.suspend = true));
  world.shows('west', 'pi', { ...SUSPENDED, ...done });
  await world.workFor(5);
  const north = world.api('north');
  north.before = (request) => refuseWrongStatus(north.jobs, request);
  world.shows('north', 'pi-m2', { ...world.job('north', 'pi-m2').status, ...SUSPENDED });
  await world.work();
  expect(world.job('north', 'pi-m2')).toMatchObject({ spec: { suspend: true }, status: done });
  return world;
}

/** The API server's validation of a status. */
function refuseWrongStatus(jobs: ReadonlyMap<string, Job>, { method, path, body }: ApiRequest): void {
  const [, name = ''] = /\/jobs\/([^/]+)\/status$/.exec(path) ?? [];
  const job = jobs.get(name);
  if (method !== 'PATCH' || job === undefined) return;
  const objections = objectionsTo(job, { ...job.status, ...(body as Job).status });
  if (objections.length > 0) throw refusalError(422, 'Invalid', objections.join('; '), path);
}

function scale(world: PlacedWorld, completions: number): void {
  world.edit(({ spec }) => void (spec.completions = spec.parallelism = completions));
}

/** The controller of the member shows the indexes that the Job has (J-5.36). */
function showsNone(world: PlacedWorld): void {
  world.shows('north', 'pi-m2', { ...SUSPENDED, failed: 1, succeeded: 0 });
}

describe('a suspended placed Job that has moved and whose completions are lowered below its completed indexes (J-16.10)', () => {
  it('runs in the new cluster when it is resumed', async () => {
    const world = await aMovedJob();
    scale(world, 2);
    await world.work();
    showsNone(world);
    await world.work();
    world.edit(({ spec }) => void (spec.suspend = false));
    await world.workFor(120);
    expect(world.job('north', 'pi-m2').spec).toMatchObject({ suspend: false, completions: 2 });
  });

  it('runs when it is resumed with its old completions, and runs its lost indexes again (J-5.36)', async () => {
    const world = await aMovedJob();
    scale(world, 2);
    await world.work();
    showsNone(world);
    scale(world, 4);
    world.edit(({ spec }) => void (spec.suspend = false));
    await world.workFor(120);
    expect(world.job('north', 'pi-m2')).toMatchObject({
      spec: { suspend: false, completions: 4 },
      status: { succeeded: 0 },
    });
  });
});

describe('a member that has not yet received the counters of the earlier member', () => {
  it('is scaled up before it gets counters that exceed its completions', async () => {
    const world = await aMovedJob();
    // Another client has made it smaller.
    world.job('north', 'pi-m2').spec.completions = 2;
    world.job('north', 'pi-m2').spec.parallelism = 2;
    showsNone(world);
    world.edit(({ spec }) => void (spec.suspend = false));
    await world.workFor(120);
    expect(world.job('north', 'pi-m2')).toMatchObject({
      spec: { suspend: false, completions: 4 },
      status: { succeeded: 1, completedIndexes: '3' },
    });
  });

  it('is stopped, and its grant ends, when its cluster refuses these counters and is drained', async () => {
    const world = await aMovedJob();
    const north = world.api('north');
    north.before = ({ method, path }) => {
      if (method === 'PATCH' && path.endsWith('/status'))
        throw refusalError(403, 'Forbidden', 'a policy', path);
    };
    showsNone(world);
    await world.workFor(30);
    world.candidates.push({ cluster: 'south', room: 9, price: 3 });
    world.availability = { north: DRAINED };
    const sent = await world.workFor(120);
    expect(sent).toContain('EndGrant north/pi-m2 (stopped)');
  });
});
