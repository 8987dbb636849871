import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 2, ready: 2, startTime: '2026-03-01T12:00:00Z' };
const SUSPENDED = { conditions: [{ type: 'Suspended', status: 'True' as const }] };

/** A pod of the first Job with the name of the member; it ends in its grace period. */
function podOfFirst(): Pod {
  const labels = { 'batch.kubernetes.io/controller-uid': 'west-1' };
  const metadata = { name: 'pi-0-x', namespace: 'team', uid: 'pod', resourceVersion: '1', labels };
  return { metadata, spec: { containers: [] }, status: { phase: 'Running' } } as unknown as Pod;
}

/** The member runs in west; somebody deletes it, and another with its mark is there. */
async function aReplacedMember({
  isSeen,
  epoch = 0,
  annotations = {},
}: {
  isSeen: boolean;
  epoch?: number;
  annotations?: Record<string, string>;
}): Promise<PlacedWorld> {
  const world = aPlacedWorld({ annotations });
  await world.work();
  world.shows('west', 'pi', RUNS);
  await world.work();
  const west = world.api('west');
  if (epoch === 0) west.pods.push(podOfFirst());
  const again = structuredClone(world.job('west', 'pi'));
  west.bump(again);
  const { resourceVersion } = again.metadata;
  if (isSeen)
    world.fold({ type: 'member.deleted', cluster: 'west', uid: 'west-1', name: 'pi', resourceVersion });
  again.metadata.uid = 'west-2';
  west.bump(again);
  again.status = {};
  west.jobs.set('pi', again);
  world.observe('west', 'pi', epoch);
  world.leftBy = { 1: { failures: {}, uncounted: 0 } };
  return world;
}

/** The second member is stopped, and its controller says so. */
async function stopped(world: PlacedWorld, epoch = 0): Promise<string[]> {
  const sent = await world.work();
  expect(sent).toContain('ChangeMember west/pi (suspend)');
  world.shows('west', 'pi', SUSPENDED, epoch);
  return [...sent, ...(await world.workFor(20))];
}

describe('a member that another Job with its mark has replaced (J-16.19)', () => {
  it.each([true, false])(
    'holds the Job in its cluster until its pods have ended, its deletion seen: %j',
    async (isSeen) => {
      const world = await aReplacedMember({ isSeen });
      const sent = await stopped(world);
      expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
      world.api('west').pods.length = 0;
      expect(await world.workFor(120)).toContain('EndGrant west/pi (stopped)');
    },
  );

  it('does so also when the second one is deleted', async () => {
    const world = await aReplacedMember({ isSeen: true });
    world.removes('west', 'pi');
    expect(await world.workFor(60)).not.toContain('EndGrant west/pi (gone)');
    world.api('west').pods.length = 0;
    expect(await world.workFor(120)).toContain('EndGrant west/pi (gone)');
  });

  it('does so also when the second one has ended with less than the Job asks for', async () => {
    const world = await aReplacedMember({ isSeen: true });
    const conditions = [{ type: 'Complete', status: 'True' as const }];
    world.shows('west', 'pi', { conditions, completedIndexes: '0', succeeded: 1 });
    expect(await world.workFor(60)).not.toContain('EndGrant west/pi (ended)');
    world.api('west').pods.length = 0;
    expect(await world.workFor(120)).toContain('EndGrant west/pi (ended)');
  });

  it('does so of a spread Job', async () => {
    const world = await aReplacedMember({ isSeen: true, annotations: { spread: 'even' } });
    const sent = await stopped(world);
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
    world.api('west').pods.length = 0;
    expect(await world.workFor(120)).toContain('EndGrant west/pi (stopped)');
  });

  it('may run on without an object after a restore, so the Job stays for a minute and the grace period', async () => {
    const world = await aReplacedMember({ isSeen: false, epoch: 1 });
    const sent = await stopped(world, 1);
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
    expect(await world.workFor(50)).not.toContain('EndGrant west/pi (stopped)');
    expect(await world.workFor(120)).toContain('EndGrant west/pi (stopped)');
  });
});
