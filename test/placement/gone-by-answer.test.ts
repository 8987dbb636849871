import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 2, ready: 2, startTime: '2026-03-01T12:00:00Z' };

/** West was restored from a copy without the member, whose pods run on; no watch has shown that yet. */
async function aMissingMember(annotations: Record<string, string> = {}): Promise<PlacedWorld> {
  const world = aPlacedWorld({ annotations });
  await world.work();
  const { name = '' } = world.grants().find(({ cluster }) => cluster === 'west') ?? {};
  world.shows('west', name, RUNS);
  await world.work();
  world.leftBy = { 1: { failures: {}, uncountedPodCount: 0 }, 2: { failures: {}, uncountedPodCount: 0 } };
  world.api('west').jobs.delete(name);
  return world;
}

function scaled(world: PlacedWorld): void {
  world.edit(({ spec }) => {
    spec.parallelism = 2;
  });
}

function ends(sent: readonly string[]): string[] {
  return sent.filter((each) => each.startsWith('EndGrant west'));
}

/** The watch shows the deletion, or that it was a restore. */
function isShown(world: PlacedWorld, epoch?: number): void {
  const { name = '', member } = world.grants().find(({ cluster }) => cluster === 'west') ?? {};
  world.fold({
    type: 'member.deleted',
    cluster: 'west',
    uid: member?.uid ?? '',
    name,
    resourceVersion: '99999',
    ...(epoch !== undefined && { epoch }),
  });
}

describe('a member that only a response, and no watch, shows as deleted (J-16.19)', () => {
  it.each([{}, { spread: 'even' }])(
    'retains its grant for a minute and the grace period, because its cluster may be restored (%j)',
    async (annotations) => {
      const world = await aMissingMember(annotations);
      scaled(world);
      const sent = await world.workFor(80);
      expect(sent).toContain('ChangeMember west/pi');
      expect(ends(sent)).toEqual([]);
      expect(ends(await world.workFor(120))).toEqual(['EndGrant west/pi (gone)']);
    },
  );

  it('retains its grant longer when the watch then shows that its cluster was restored', async () => {
    const world = await aMissingMember();
    scaled(world);
    await world.workFor(80);
    isShown(world, 1);
    expect(ends(await world.workFor(80))).toEqual([]);
    expect(ends(await world.workFor(120))).toEqual(['EndGrant west/pi (gone)']);
  });

  it('retains its grant for a minute and the grace period when the next look-up reaches the restored cluster', async () => {
    const world = await aMissingMember();
    isShown(world);
    world.epochs = { west: 1 };
    expect(ends(await world.workFor(80))).toEqual([]);
    expect(ends(await world.workFor(120))).toEqual(['EndGrant west/pi (gone)']);
  });

  it('retains its grant for a minute and the grace period when the version in a look-up shows that an older copy answers', async () => {
    const world = await aMissingMember();
    isShown(world);
    const { request } = world.api('west').client;
    world.api('west').client.request = async <T>(asked: ApiRequest): Promise<T> => {
      const answer = await request<T>(asked);
      return asked.path.endsWith('/jobs?limit=1') ? ({ metadata: { resourceVersion: '1' } } as T) : answer;
    };
    expect(ends(await world.workFor(80))).toEqual([]);
    expect(ends(await world.workFor(120))).toEqual(['EndGrant west/pi (gone)']);
  });

  it('loses its grant at once when the watch shows its deletion, too', async () => {
    const world = await aMissingMember();
    scaled(world);
    expect(ends(await world.workFor(20))).toEqual([]);
    isShown(world);
    expect(ends(await world.work())).toEqual(['EndGrant west/pi (gone)']);
  });

  it('retains its grant for a minute and the grace period when a response shows it after its deletion, because only an older copy has it then', async () => {
    const world = await aMissingMember();
    const { name = '', member } = world.grants().find(({ cluster }) => cluster === 'west') ?? {};
    const west = world.api('west');
    isShown(world);
    world.decide();
    const older = structuredClone(world.job('east', 'pi'));
    Object.assign(older.metadata, { name, uid: member?.uid, resourceVersion: '1' });
    west.jobs.set(name, older);
    const sent = await world.work();
    expect(sent).toContain('LookUpMember west/pi');
    west.jobs.delete(name);
    expect(ends(await world.workFor(80))).toEqual([]);
    expect(ends(await world.workFor(120))).toEqual(['EndGrant west/pi (gone)']);
  });

  it('retains its grant when its cluster becomes silent', async () => {
    const world = await aMissingMember({ 'if-cluster-is-lost': 'MoveAfter=30s' });
    world.availability = { west: { silentSince: world.now } };
    const sent = await world.workFor(100);
    expect(sent).toContain('LookUpMember west/pi');
    expect(ends(sent)).not.toContain('EndGrant west/pi (gone)');
  });
});

describe('a member that only a response, and no watch, has shown (J-16.19)', () => {
  it('is looked up after a minute, and is replaced when its cluster has lost it', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.api('west').jobs.delete('pi');
    expect(await world.workFor(59)).toEqual([]);
    expect(await world.workFor(2)).toContain('LookUpMember west/pi');
    const sent = await world.workFor(240);
    expect(ends(sent)).toEqual(['EndGrant west/pi (gone)']);
    expect(sent.filter((each) => each.startsWith('CreateMember'))).toHaveLength(1);
  });

  it('is not looked up after a watch has shown it in that version', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.observe('west', 'pi');
    expect(await world.workFor(600)).toEqual([]);
  });

  it('is looked up once a minute while it exists', async () => {
    const world = aPlacedWorld();
    await world.work();
    const sent = await world.workFor(600);
    expect(sent.filter((each) => each === 'LookUpMember west/pi')).toHaveLength(10);
  });
});
