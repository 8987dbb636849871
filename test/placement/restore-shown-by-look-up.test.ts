import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { aLostAnswer, answersAgain, podOfFirst } from './lost-creation.ts';

const RUNS = { active: 2, ready: 2, startTime: '2026-03-01T12:00:00Z' };

/** Lists of the Jobs of west are of this version from now on: an older copy answers. */
function listsAt(world: PlacedWorld, version: string): void {
  const { client } = world.api('west');
  const { request } = client;
  client.request = async <T>(asked: ApiRequest): Promise<T> => {
    const answer = await request<T>(asked);
    return asked.path.endsWith('/jobs?limit=1') ? ({ metadata: { resourceVersion: version } } as T) : answer;
  };
}

describe('a deleted member of a cluster whose restore only the version of a look-up shows', () => {
  /** The watch shows the member of west up to version 160, and then that another client has deleted it. */
  const deletes = async (world: PlacedWorld): Promise<void> => {
    for (let step = 0; step < 50; step += 1) world.api('west').bump(world.job('west', 'pi'));
    world.observe('west', 'pi');
    expect(Number(world.grants()[0]?.member?.resourceVersion)).toBeGreaterThan(145);
    world.removes('west', 'pi');
  };

  it('retains its grant for a minute and the grace period when it was not looked up before', async () => {
    const world = aPlacedWorld();
    world.leftBy = { 1: { failures: {}, uncountedPodCount: 0 } };
    await world.work();
    world.shows('west', 'pi', RUNS);
    await world.work();
    await deletes(world);
    listsAt(world, '120');
    expect(await world.workFor(80)).not.toContain('EndGrant west/pi (gone)');
  });

  it('retains its grant for a minute and the grace period when a look-up before its creation had read an even lower version', async () => {
    const world = await aLostAnswer();
    world.leftBy = { 1: { failures: {}, uncountedPodCount: 0 } };
    // Another client deletes the first one, and its pods are looked up: the list has version 102.
    world.removes('west', 'pi');
    answersAgain(world);
    // Other Jobs of the namespace change before it is created again.
    const west = world.api('west');
    west.before = ({ method }) => {
      if (method === 'POST') for (let step = 0; step < 30; step += 1) west.bump({ metadata: {} } as Job);
    };
    await world.workFor(5);
    west.before = () => {};
    expect(world.grants()[0]).toMatchObject({
      member: { uid: 'west-2', resourceVersion: '133' },
      listed: { resourceVersion: '102' },
    });
    world.shows('west', 'pi', RUNS);
    await world.work();
    await deletes(world);
    // A copy of a time at which west-2 was not created yet: 120 is below all that the watch has shown of it.
    listsAt(world, '120');
    expect(await world.workFor(80)).not.toContain('EndGrant west/pi (gone)');
  });
});

describe('a late response to a look-up from before a change of the member that the watch has shown', () => {
  it('is not taken for a restore, so that the grant of the stopped member ends within a minute', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', RUNS);
    await world.work();
    world.availability = { west: { cordoned: { by: 'anna', at: 0, drain: true } } };
    await world.work();
    const west = world.api('west');
    world.shows('west', 'pi', { conditions: [{ type: 'Suspended', status: 'True' }] });
    // The list is answered; then the controller writes the status again, and the watch is faster than the record of the outcome.
    let lists = 0;
    west.after = ({ path }) => {
      if (!path.endsWith('/jobs?limit=1')) return;
      lists += 1;
      if (lists > 1) return;
      const job = world.job('west', 'pi');
      const { conditions = [] } = job.status ?? {};
      job.status = { conditions: [...conditions, { type: 'Other', status: 'True' }] as typeof conditions };
      west.bump(job);
    };
    const decision = world.decide();
    expect(decision?.decided.data.commands).toMatchObject([
      { kind: 'LookUpMember' },
      { kind: 'WriteStatus' },
    ]);
    const { client } = west;
    const { request } = client;
    client.request = async <T>(asked: ApiRequest): Promise<T> => {
      const answer = await request<T>(asked);
      if (asked.path.endsWith('/jobs?limit=1')) world.observe('west', 'pi');
      return answer;
    };
    if (decision !== null) await world.carryOut(decision);
    client.request = request;
    expect(await world.workFor(60)).toContain('EndGrant west/pi (stopped)');
  });
});

describe('a member that a late request created again, and that completes while the Job is scaled up', () => {
  it('retains its grant while pods of the first member may run, when the answer about them came from a restored cluster', async () => {
    const world = await aLostAnswer();
    world.leftBy = { 1: { failures: {}, uncountedPodCount: 0 } };
    const west = world.api('west');
    const second = structuredClone(world.job('west', 'pi'));
    west.pods.push(podOfFirst());
    world.observe('west', 'pi');
    world.removes('west', 'pi');
    answersAgain(world);
    // A late request creates the member again.
    second.metadata.uid = 'west-late';
    west.jobs.set('pi', second);
    const all = { succeeded: 4, completedIndexes: '0-3', conditions: [{ type: 'Complete', status: 'True' }] };
    world.shows('west', 'pi', all);
    expect(world.grants()[0]).toMatchObject({ member: { uid: 'west-late' }, replaced: ['west-1'] });
    world.edit(({ spec }) => {
      spec.completions = 6;
      spec.parallelism = 6;
    });
    expect(await world.workFor(30)).not.toContain('EndGrant west/pi (ended)');
    // West is restored from a copy without that pod, which runs on; only the epoch of the answer shows that.
    west.pods.length = 0;
    world.epochs = { west: 1 };
    const sent = await world.workFor(70);
    expect(world.grants()[0]?.restoredAt).toEqual(expect.any(Number));
    expect(sent).not.toContain('EndGrant west/pi (ended)');
  });
});
