import { describe, expect, it } from '@jest/globals';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { withoutCounters } from './lost-creation.ts';

const COMPLETE = {
  succeeded: 4,
  completedIndexes: '0-3',
  conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-03-01T12:00:00Z' }],
};

/** A Job that is complete. Its home keeps what it deletes until the finalizer is gone. */
async function aCompleteJob(): Promise<PlacedWorld> {
  const world = aPlacedWorld({ spec: { ttlSecondsAfterFinished: 10 } });
  world.ttl = true;
  const { client, jobs, bump } = world.api('east');
  const { request } = client;
  client.request = (asked) => {
    const job = jobs.get('pi');
    if (asked.method !== 'DELETE' || job === undefined) return request(asked);
    if (job.metadata.deletionTimestamp === undefined) {
      job.metadata.deletionTimestamp = new Date(world.now).toISOString();
      bump(job);
    }
    return Promise.resolve(structuredClone(job) as never);
  };
  await world.work();
  world.observeHome();
  world.shows('west', 'pi', COMPLETE);
  await world.work();
  return world;
}

describe('a placed Job whose TTL has passed, after an unnoticed restore of its home (J-10.4)', () => {
  it('is not deleted repeatedly without a delay when the copy has it unfinished (J-16.20)', async () => {
    const world = await aCompleteJob();
    const { status, metadata } = world.job('east', 'pi');
    status?.conditions?.splice(0);
    metadata.resourceVersion = '1';
    const sent = await world.workFor(60);
    expect(sent.filter((each) => each === 'DeleteJob').length).toBeLessThan(9);
  });
});

describe('a placed Job after an unnoticed restore of its home from a copy without the finalizer of Jobledger', () => {
  it('gets no member repeatedly without a delay (J-16.20)', async () => {
    const world = aPlacedWorld({ clusters: ['west', 'north', 'south'] });
    await world.work();
    world.observeHome();
    world.shows('west', 'pi', { active: 4, ready: 4 });
    await world.work();
    const { metadata } = world.job('east', 'pi');
    metadata.finalizers = [];
    metadata.resourceVersion = '1';
    let version = 1;
    world.api('east').after = () => void (metadata.resourceVersion = String((version += 1)));
    world.availability = { west: { cordoned: { by: 'anna', at: 0, drain: true } } };
    await world.work();
    world.shows('west', 'pi', { conditions: [{ type: 'Suspended', status: 'True' }] });
    const sent = await world.workFor(60);
    expect(sent.filter((each) => each.startsWith('CreateMember')).length).toBeLessThan(12);
  });
});

describe('a member after an unnoticed restore of its cluster from a copy without the member', () => {
  it('is not created repeatedly without a delay when the new member has a lower version (J-16.20)', async () => {
    const world = await withoutCounters();
    const north = world.api('north');
    north.jobs.delete('pi-m2');
    north.after = () => {
      const created = north.jobs.get('pi-m2');
      if (created !== undefined) created.metadata.resourceVersion = '50';
    };
    const sent = await world.workFor(60);
    expect(sent.filter((each) => each.startsWith('CreateMember')).length).toBeLessThan(12);
    world.epochs = { north: 1 };
    world.observe('north', 'pi-m2', 1);
    const later = await world.workFor(300);
    expect(later.filter((each) => each.startsWith('ChangeMember'))).toEqual([
      'ChangeMember north/pi-m2 (suspend)',
    ]);
  });

  it('is not created repeatedly without a delay when another Job has its name there (J-16.20)', async () => {
    const world = await withoutCounters();
    const { metadata } = world.job('north', 'pi-m2');
    metadata.uid = 'forged';
    metadata.annotations = {};
    const sent = await world.workFor(60);
    const creations = sent.filter((each) => each === 'CreateMember north/pi-m2');
    expect(creations.length).toBeGreaterThan(1);
    expect(creations.length).toBeLessThan(9);
  });
});

describe('a stopped member after an unnoticed restore of its cluster from a copy in which the member runs', () => {
  it('retains its grant until the member of the copy is stopped, too (J-16.10)', async () => {
    const world = aPlacedWorld();
    await world.work();
    const copy = structuredClone(world.job('west', 'pi'));
    world.shows('west', 'pi', { active: 4, ready: 4 });
    await world.work();
    world.availability = { west: { cordoned: { by: 'anna', at: 0, drain: true } } };
    await world.work();
    world.shows('west', 'pi', { conditions: [{ type: 'Suspended', status: 'True' }] });
    copy.spec.suspend = false;
    const west = world.api('west');
    west.jobs.set('pi', copy);
    const sent = await world.workFor(60);
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
    expect(sent.filter((each) => each.startsWith('LookUpMember')).length).toBeLessThan(12);
    world.epochs = { west: 1 };
    world.observe('west', 'pi', 1);
    await world.work();
    expect(copy.spec.suspend).toBe(true);
    world.shows('west', 'pi', { conditions: [{ type: 'Suspended', status: 'True' }] }, 1);
    expect(await world.workFor(200)).toContain('EndGrant west/pi (stopped)');
  });
});
