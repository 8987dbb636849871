import { describe, expect, it } from '@jest/globals';
import { aModel, overlaps } from './model.ts';
import { aRoughLife } from './rough-life.ts';
import { seededRandom } from '../support/random.ts';

const CLUSTERS = [
  { name: 'west', room: 5 },
  { name: 'north', room: 5 },
];

function aQuietModel(more: Partial<Parameters<typeof aModel>[0]> = {}) {
  return aModel({ random: seededRandom(7), clusters: CLUSTERS, completions: 6, parallelism: 3, ...more });
}

describe('a placed Job in a simulation of clusters', () => {
  it('runs in the first cluster that has room, and completes with its member (J-16.1, J-16.5, J-16.8)', () => {
    const model = aQuietModel();
    model.pass(60);
    expect(model.condition('Complete')?.status).toBe('True');
    expect(model.status()).toMatchObject({ succeeded: 6, completedIndexes: '0-5', ready: 0 });
    expect(new Set(model.runs.map(({ cluster }) => cluster)).size).toBe(1);
    expect(model.decisions.length).toBeLessThan(20);
  });

  it('moves when its cluster is drained, and starts in another cluster only after its pods have ended (J-16.10, J-16.12)', () => {
    const model = aQuietModel({ completions: 20 });
    model.pass(12);
    const from = model.state().grants[0]?.cluster ?? '';
    const before = model.status().succeeded ?? 0;
    model.setAvailability(from, { cordoned: { by: 'anna', at: model.now(), drain: true } });
    model.pass(120);
    expect(model.condition('Complete')?.status).toBe('True');
    expect(model.state().grants.map(({ cluster, ended }) => [cluster, ended?.reason])).toEqual([
      [from, 'stopped'],
      [from === 'west' ? 'north' : 'west', undefined],
    ]);
    expect(overlaps(model)).toEqual([]);
    const again = model.runs.filter(({ succeeded }) => succeeded).map(({ index }) => index);
    expect(again.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_none, at) => at));
    expect(before).toBeGreaterThan(0);
  });

  it('waits for a cluster that does not answer, and reports this (J-16.13)', () => {
    const model = aQuietModel({ completions: 20 });
    model.pass(8);
    const at = model.state().grants[0]?.cluster ?? '';
    model.cut(at, true);
    model.setAvailability(at, { silentSince: model.now() });
    model.pass(600);
    expect(model.condition('jobledger.dev/Placed')).toMatchObject({
      status: 'Unknown',
      reason: 'ClusterSilent',
    });
    expect(model.state().grants).toHaveLength(1);
    model.cut(at, false);
    model.setAvailability(at, null);
    model.pass(10);
    expect(model.condition('Complete')?.status).toBe('True');
    expect(overlaps(model)).toEqual([]);
  });

  it('moves at once when a person declares its cluster lost, and stops its old member when that cluster answers again (J-16.14, J-16.18)', () => {
    const model = aQuietModel({ completions: 60, parallelism: 2 });
    model.pass(8);
    const at = model.state().grants[0]?.cluster ?? '';
    model.cut(at, true);
    model.setAvailability(at, { silentSince: model.now(), lost: { by: 'anna', at: model.now() } });
    expect(model.state().grants.map(({ ended }) => ended?.reason)).toEqual(['lost', undefined]);
    model.pass(10);
    model.cut(at, false);
    model.setAvailability(at, null);
    model.pass(300);
    expect(model.condition('Complete')?.status).toBe('True');
    const stopped = model.decisions.flatMap((decision) => decision?.decided.data.commands ?? []);
    expect(
      stopped.filter((command) => command.kind === 'ChangeMember' && command.stop === 'returned'),
    ).toHaveLength(1);
    expect(JSON.stringify(stopped)).toContain('Overlap');
  });

  it('starts in another cluster after the time that MoveAfter allows, and reports that it may run twice (J-16.15)', () => {
    const annotations = { 'jobledger.dev/if-cluster-is-lost': 'MoveAfter=2m' };
    const model = aQuietModel({ completions: 60, annotations });
    model.pass(8);
    const at = model.state().grants[0]?.cluster ?? '';
    model.cut(at, true);
    model.setAvailability(at, { silentSince: model.now() });
    model.pass(119);
    expect(model.state().grants).toHaveLength(1);
    model.pass(3);
    expect(model.state().grants.map(({ ended }) => ended?.reason)).toEqual(['time', undefined]);
    expect(JSON.stringify(model.decisions)).toContain('MayRunTwice');
  });

  it('moves to a cluster with room when its pods find no node (J-16.11)', () => {
    const model = aQuietModel({
      clusters: [
        { name: 'west', room: 0 },
        { name: 'north', room: 0 },
      ],
      annotations: { 'jobledger.dev/clusters': 'west, north', 'jobledger.dev/spill-after': '30s' },
    });
    model.pass(20);
    expect(model.state().grants.map(({ cluster }) => cluster)).toEqual(['west']);
    const north = model.clusters.get('north');
    if (north !== undefined) north.room = 5;
    model.pass(60);
    expect(model.state().grants.map(({ cluster }) => cluster)).toEqual(['west', 'north']);
    expect(new Set(model.runs.map(({ cluster }) => cluster))).toEqual(new Set(['north']));
  });

  it('passes its suspension, resumption and scaling on to its member (J-16.7)', () => {
    const model = aQuietModel({ completions: 30 });
    model.pass(8);
    model.change(({ spec }) => {
      spec.suspend = true;
    });
    model.pass(20);
    expect(model.condition('Suspended')?.status).toBe('True');
    expect(model.status().startTime).toBeUndefined();
    expect(model.runs.every(({ until }) => until !== null)).toBe(true);
    model.change(({ spec }) => {
      spec.suspend = false;
      spec.parallelism = 5;
    });
    model.pass(100);
    expect(model.condition('Complete')?.status).toBe('True');
    expect(model.condition('Suspended')?.status).toBe('False');
    expect(model.state().grants[0]?.member?.spec.parallelism).toBe(5);
  });

  it('is deleted after its member, and then needs no workflow any more (J-16.3, J-16.17)', () => {
    const model = aQuietModel();
    model.pass(5);
    expect(model.placed.object.metadata.finalizers).toEqual(['jobledger.dev/placement']);
    model.change(({ metadata }) => {
      metadata.deletionTimestamp = new Date(model.now()).toISOString();
    });
    model.pass(5);
    expect([...model.clusters.values()].flatMap(({ jobs }) => [...jobs.keys()])).toEqual([]);
    expect(model.state().gone).toBe(true);
    expect(model.isOver()).toBe(true);
  });

  it('is not placed with an invalid annotation, and reports the reason once (J-16.2, J-16.22)', () => {
    const model = aQuietModel({ annotations: { 'jobledger.dev/spill-after': 'soon' } });
    model.pass(60);
    expect(model.runs).toEqual([]);
    expect(model.condition('jobledger.dev/Placed')).toMatchObject({ status: 'False', reason: 'NotPlaced' });
    const commands = model.decisions.flatMap((decision) => decision?.decided.data.commands ?? []);
    expect(commands.filter(({ kind }) => kind === 'EmitEvents')).toHaveLength(1);
  });

  it('accepts as member no Job that it did not create, whatever the annotations of that Job are (J-16.1, J-16.6)', () => {
    const model = aQuietModel({ annotations: { 'jobledger.dev/clusters': 'west,north' } });
    model.forge('west', 'pi', { 'jobledger.dev/grant': 'east/home-uid/decision/1/chain/guessed' });
    model.pass(80);
    expect(model.condition('Complete')?.status).toBe('True');
    expect(model.state().grants.map(({ cluster, ended }) => [cluster, ended?.reason])).toEqual([
      ['west', 'refused'],
      ['north', undefined],
    ]);
    expect(model.clusters.get('west')?.jobs.get('pi')?.object.spec.suspend).toBe(true);
  });

  it('is placed again when another client deletes its member and no pod of the member remains (J-16.19)', () => {
    const model = aQuietModel({ completions: 30 });
    model.pass(10);
    const { cluster = '', name = '' } = model.state().grants[0] ?? {};
    model.remove(cluster, name);
    model.pass(200);
    expect(model.condition('Complete')?.status).toBe('True');
    expect(model.state().grants.map(({ ended }) => ended?.reason)).toEqual(['gone', undefined]);
    expect(overlaps(model)).toEqual([]);
  });
});

const ROUNDS = 150;

describe('a placed Job with late, lost and repeated facts and lost answers (J-16.10, J-16.20)', () => {
  it.each(Array.from({ length: ROUNDS }, (_none, seed) => seed))(
    'runs in one cluster at a time, and runs each index once (seed %i)',
    (seed) => {
      const { model, policy, isBereft } = aRoughLife(seed);
      model.pass(1500);
      expect(model.condition('Complete')?.status).toBe('True');
      if (policy !== 'Wait') return;
      expect(overlaps(model)).toEqual([]);
      if (isBereft) return;
      const succeeded = model.runs.filter((run) => run.succeeded).map(({ index }) => index);
      expect(new Set(succeeded).size).toBe(succeeded.length);
    },
  );
});
