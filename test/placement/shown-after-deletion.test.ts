import { describe, expect, it } from '@jest/globals';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 2, ready: 2, startTime: '2026-03-01T12:00:00Z' };

async function aRunningMember(podSpec?: object): Promise<PlacedWorld> {
  const world = aPlacedWorld({ ...(podSpec !== undefined && { podSpec }) });
  await world.work();
  world.shows('west', 'pi', RUNS);
  await world.work();
  return world;
}

function isShown(world: PlacedWorld): void {
  const { name = '', member } = world.grants().find(({ cluster }) => cluster === 'west') ?? {};
  world.fold({
    type: 'member.deleted',
    cluster: 'west',
    uid: member?.uid ?? '',
    name,
    resourceVersion: '99999',
  });
}

function ends(sent: readonly string[]): string[] {
  return sent.filter((each) => each.startsWith('EndGrant west'));
}

describe('a member that a response shows after a watch has shown its deletion (J-16.19)', () => {
  it('retains its grant when the deletion is folded again, because a repeat has no effect', async () => {
    const world = await aRunningMember();
    const west = world.api('west');
    const older = structuredClone(world.job('west', 'pi'));
    older.metadata.resourceVersion = '1';
    isShown(world);
    west.jobs.set('pi', older);
    await world.work();
    west.jobs.delete('pi');
    isShown(world);
    expect(ends(await world.workFor(60))).toEqual([]);
  });

  it('loses its grant within an hour when the response is older than its deletion and its cluster was not restored', async () => {
    const world = await aRunningMember({ terminationGracePeriodSeconds: 86_400 });
    world.availability = { west: { cordoned: { by: 'anna', at: 0, drain: true } } };
    await world.work();
    world.pass(31);
    const decision = world.decide();
    expect(decision?.decided.data.commands.map(({ kind }) => kind)).toContain('LookUpMember');
    if (decision === null) throw new Error('nothing was decided');
    const west = world.api('west');
    // The look-up has read the member; before its outcome is folded, it is marked as deleted and deleted, its pods first.
    west.after = ({ path }) => {
      if (!path.includes('/pods')) return;
      west.after = () => {};
      const job = world.job('west', 'pi');
      job.metadata.deletionTimestamp = new Date(world.now).toISOString();
      west.bump(job);
      world.observe('west', 'pi');
      west.jobs.delete('pi');
      isShown(world);
    };
    await world.carryOut(decision);
    world.availability = {};
    const sent = await world.workFor(3600);
    expect(ends(sent)).toEqual(['EndGrant west/pi (gone)']);
  });
});
