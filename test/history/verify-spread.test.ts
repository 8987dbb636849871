import { describe, expect, it } from '@jest/globals';
import { verifyPlacements } from '../../workflows/history/placements/verify-placements.ts';
import { readIndex } from '../../workflows/history/why-index/stays.ts';
import { grantedIndexes } from '../../workflows/batch/index-grant.ts';
import { effectiveDecisions } from '../../workflows/decision/folding.ts';
import type { PlacementEvent } from '../../workflows/placement/events.ts';
import { aMember } from '../placement/a-placed-job.ts';
import { aPlacedWorld } from '../placement/a-placed-world.ts';
import { aPlacedLife } from './a-placed-life.ts';

const why = { rule: 'J-17.3', message: 'its share' } as const;
const from = { resourceVersion: '1', generation: 1 };
const NOTHING = { findings: [], mayHaveRunTwice: [], withinTolerance: [], unseen: [], missing: [] };

/** A list of the pods of indexes that a member has given up; by default it shows none in west. */
function listed(
  givenUp: string,
  { open = 0, cluster = 'west', uid = 'west-1', name = 'pi', completedIndexes = '' } = {},
) {
  const member = aMember({ completedIndexes }, { cluster, uid, name });
  return { kind: 'LookUpMember', result: 'done', member, pods: { open }, givenUp, listedAt: '900' };
}

/** West has the indexes 0 to 3, north 4 to 7. */
function aSpreadLife() {
  const life = aPlacedLife();
  const names = { west: 'pi', north: 'pi-m2' };
  const about = (cluster: 'west' | 'north') => ({
    cluster,
    grant: cluster === 'west' ? 1 : 2,
    name: names[cluster],
  });
  life.decides(0, [{ kind: 'CreateMember', ...about('west'), spec: {}, indexes: '0-3', why }]);
  life.created(1, 'west', 1);
  life.decides(2, [{ kind: 'CreateMember', ...about('north'), spec: {}, indexes: '4-7', why }]);
  life.created(3, 'north', 2);
  const changes = (after: number, cluster: 'west' | 'north', number: number, indexes: string): void =>
    life.decides(after, [
      {
        kind: 'ChangeMember',
        ...about(cluster),
        uid: `${cluster}-${about(cluster).grant}`,
        from,
        spec: {},
        indexes: { number, indexes },
        why,
      },
    ]);
  const collects = (after: number, cluster: 'west' | 'north', of: string, shown: object = {}): void => {
    const uid = `${cluster}-${about(cluster).grant}`;
    life.decides(after, [{ kind: 'LookUpMember', ...about(cluster), uid, givenUp: of, why }]);
    life.answers(after + 1, listed(of, { cluster, uid, name: names[cluster], ...shown }));
  };
  return { life, changes, collects };
}

describe('the verification of a Job over several clusters (J-17.3, J-17.4, J-17.7)', () => {
  it('reports no fault when each index has one cluster at a time', () => {
    const { life, changes, collects } = aSpreadLife();
    life.pod('west', 1, { index: 0, from: 5, until: 20 });
    life.pod('north', 2, { index: 4, from: 5, until: 20 });
    changes(30, 'west', 2, '0');
    collects(32, 'west', '1-3');
    changes(40, 'north', 2, '1-7');
    life.pod('north', 2, { index: 2, from: 45, until: 50 });
    expect(verifyPlacements(life.events)).toMatchObject({ grants: 2, ...NOTHING });
  });

  /** As `aSpreadLife`, with both members given in one decision. */
  function aLifeBegunAtOnce() {
    const life = aPlacedLife();
    const create = { kind: 'CreateMember', spec: {}, why } as const;
    life.decides(0, [
      { ...create, cluster: 'west', grant: 1, name: 'pi', indexes: '0-3' },
      { ...create, cluster: 'north', grant: 2, name: 'pi-m2', indexes: '4-7' },
    ]);
    life.created(1, 'west', 1, 1, 0);
    life.created(2, 'north', 2, 1, 1);
    return life;
  }

  it('reports no fault when one decision granted indexes to several clusters', () => {
    const life = aLifeBegunAtOnce();
    for (const index of [0, 1, 2, 3]) life.pod('west', 1, { index, from: 5, until: 20 });
    for (const index of [4, 5, 6, 7]) life.pod('north', 2, { index, from: 5, until: 20 });
    life.counts(21, 'west', 1, '0-3');
    life.counts(22, 'north', 2, '4-7');
    expect(verifyPlacements(life.events)).toMatchObject({ grants: 2, ...NOTHING });
  });

  it('reports no fault for pods that run the indexes of the first grants', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'even' }, spec: { completions: 8, parallelism: 4 } });
    await world.work();
    const life = aPlacedLife();
    for (const { cluster, number, part, member } of world.grants())
      for (const [first, last] of grantedIndexes({ indexes: part?.indexes ?? '' }))
        for (let index = first; index <= last; index += 1)
          life.pod(cluster, number, { index, from: 5, until: 20 }, member?.uid);
    const ledger = [...world.ledger, ...life.events];
    expect(life.events.length).toBeGreaterThan(0);
    expect(verifyPlacements(ledger)).toEqual({ jobs: 1, grants: 2, ...NOTHING, clocks: [] });
  });

  it.each<[string, (life: ReturnType<typeof aPlacedLife>) => void]>([
    ['an older copy of the member is seen', (life) => life.counts(33, 'west', 1, '', { epoch: 1 })],
    ['the copy has no member', (life) => life.gone(33, 'west', 1, 1)],
  ])(
    'reports no fault when a list from before a restore of the cluster does not count as the return of an index: %s',
    (_how, restores) => {
      const { life, changes, collects } = aSpreadLife();
      const effective = () =>
        new Map(effectiveDecisions(life.events as PlacementEvent[]).map((each) => [each.id, each]));
      const findStay = (index: number) =>
        readIndex(life.events as PlacementEvent[], effective(), index).stays[0]?.left;
      changes(30, 'west', 2, '0');
      life.decides(32, [
        {
          kind: 'LookUpMember',
          cluster: 'west',
          grant: 1,
          name: 'pi',
          uid: 'west-1',
          givenUp: '1-3',
          why,
        },
      ]);
      restores(life);
      life.answers(34, listed('1-3'));
      expect(findStay(2)).toBeUndefined();
      life.pod('west', 1, { index: 2, from: 36, until: 60 });
      expect(verifyPlacements(life.events)).toMatchObject({ grants: 2, ...NOTHING });
      collects(140, 'west', '1-3');
      expect(findStay(2)).toBe(life.events.at(-1)?.id);
      changes(145, 'north', 2, '1-7');
      life.pod('north', 2, { index: 3, from: 150, until: 155 });
      expect(verifyPlacements(life.events)).toMatchObject({ grants: 2, ...NOTHING });
      life.pod('west', 1, { index: 3, from: 150, until: 160 });
      expect(verifyPlacements(life.events).findings).toMatchObject([{ type: 'after-grant', index: 3 }]);
    },
  );

  it('reports a fault when an index runs again after its success in another member that the same decision created', () => {
    const life = aLifeBegunAtOnce();
    life.pod('west', 1, { index: 1, from: 5, until: 20 });
    life.counts(22, 'west', 1, '1');
    life.counts(23, 'north', 2, '4');
    const about = { cluster: 'west', grant: 1, name: 'pi', uid: 'west-1', from, why };
    life.decides(30, [{ kind: 'ChangeMember', ...about, spec: {}, indexes: { number: 2, indexes: '0' } }]);
    life.decides(32, [{ kind: 'LookUpMember', ...about, givenUp: '1-3' }]);
    life.answers(33, listed('1-3', { completedIndexes: '1' }));
    const indexes = { number: 2, indexes: '1-7' };
    const north = { ...about, cluster: 'north', grant: 2, name: 'pi-m2', uid: 'north-2' };
    life.decides(40, [{ kind: 'ChangeMember', ...north, spec: {}, indexes }]);
    life.pod('north', 2, { index: 1, from: 45, until: 50 });
    expect(verifyPlacements(life.events).findings).toMatchObject([{ type: 'repeated', index: 1 }]);
  });

  /** West has lost its grant for this reason at 30 s, and north has all indexes from 31 s on. */
  function aLifeThatLeft(reason: 'refused' | 'stopped' | 'gone' | 'guarded') {
    const { life, changes } = aSpreadLife();
    life.ends(30, 'west', 1, reason);
    changes(31, 'north', 2, '0-7');
    return life;
  }

  it.each([
    ['a refusal was believed although an earlier request had created the member', 'refused', 'unanswered'],
    ['the member was resumed, or an older copy of its cluster put back', 'stopped', 'west-1'],
    ['another client created the member again', 'gone', 'again'],
    ['its guard had not ended the member', 'guarded', 'west-1'],
  ] as const)('reports a fault when %s', (_fault, reason, uid) => {
    const life = aLifeThatLeft(reason);
    if (uid !== 'west-1') life.seen(32, 'west', 1, uid, null, 'decision-1');
    const first = life.pod('west', 1, { index: 2, from: 80, until: 120 }, uid);
    const second = life.pod('north', 2, { index: 2, from: 90, until: 110 });
    expect(verifyPlacements(life.events).findings).toMatchObject([
      { type: 'after-grant', index: 2, clusters: ['west', 'north'], pods: [first, second] },
    ]);
  });

  it('reports a fault when an index runs again after its success in a member that no outcome names', () => {
    const life = aPlacedLife();
    const create = { kind: 'CreateMember', spec: {}, why } as const;
    life.decides(0, [
      { ...create, cluster: 'west', grant: 1, name: 'pi', indexes: '0-3' },
      { ...create, cluster: 'north', grant: 2, name: 'pi-m2', indexes: '4-7' },
    ]);
    life.created(1, 'north', 2, 1, 1);
    life.seen(2, 'west', 1, 'west-1', null, 'decision-1');
    life.pod('west', 1, { index: 1, from: 5, until: 20 });
    life.counts(22, 'west', 1, '1', { mark: 'decision-1' });
    life.ends(30, 'west', 1, 'gone');
    const north = { cluster: 'north', grant: 2, name: 'pi-m2', uid: 'north-2', from, why };
    const indexes = { number: 2, indexes: '0-7' };
    life.decides(40, [{ kind: 'ChangeMember', ...north, spec: {}, indexes }]);
    life.pod('north', 2, { index: 1, from: 45, until: 50 });
    expect(verifyPlacements(life.events).findings).toMatchObject([{ type: 'repeated', index: 1 }]);
  });

  it('reports a fault when a pod continues to run after its annotation was edited to an index that its member keeps', () => {
    const { life, changes, collects } = aSpreadLife();
    life.pod('west', 1, { index: 0, createdFor: 2, from: 5, until: 90 });
    changes(30, 'west', 2, '0');
    collects(32, 'west', '1-3');
    changes(40, 'north', 2, '1-7');
    life.pod('north', 2, { index: 2, from: 45, until: 50 });
    expect(verifyPlacements(life.events).findings).toMatchObject([
      { type: 'after-grant', index: 2, clusters: ['west', 'north'] },
    ]);
  });

  it('reports a fault when an index was granted before the other cluster gave it back', () => {
    const { life, changes } = aSpreadLife();
    changes(30, 'west', 2, '0');
    changes(40, 'north', 2, '1-7');
    expect(verifyPlacements(life.events).findings).toMatchObject([
      { type: 'two-grants', clusters: ['west', 'north'] },
    ]);
    expect(verifyPlacements(life.events).findings[0]?.message).toMatch(/^3 indexes were given to north/);
  });

  it('reports a fault when a list had shown a pod of an index that was granted to another cluster', () => {
    const { life, changes, collects } = aSpreadLife();
    changes(30, 'west', 2, '0');
    collects(32, 'west', '1-3', { open: 1 });
    changes(40, 'north', 2, '1-7');
    expect(verifyPlacements(life.events).findings).toMatchObject([{ type: 'two-grants' }]);
  });

  it('reports a fault when a pod continues to run after its index was given back, or with an index of another cluster', () => {
    const { life, changes, collects } = aSpreadLife();
    life.pod('west', 1, { index: 2, from: 5, until: 90 });
    life.pod('north', 2, { index: 1, from: 5, until: 20 });
    changes(30, 'west', 2, '0');
    collects(32, 'west', '1-3');
    changes(40, 'north', 2, '1-7');
    life.pod('north', 2, { index: 2, from: 45, until: 50 });
    expect(verifyPlacements(life.events).findings).toMatchObject([
      { type: 'before-grant', index: 1, clusters: ['north'] },
      { type: 'after-grant', index: 2, clusters: ['west', 'north'] },
    ]);
  });

  it('reports a fault when an index runs again after its recorded success in another cluster', () => {
    const { life, changes, collects } = aSpreadLife();
    life.pod('west', 1, { index: 1, from: 5, until: 20 });
    life.counts(22, 'west', 1, '1');
    changes(30, 'west', 2, '0');
    collects(32, 'west', '1-3', { completedIndexes: '1' });
    changes(40, 'north', 2, '1-7');
    life.pod('north', 2, { index: 1, from: 45, until: 50 });
    expect(verifyPlacements(life.events).findings).toMatchObject([{ type: 'repeated', index: 1 }]);
  });
});

describe('the verification of the failures that a Job over several clusters counts (J-17.6)', () => {
  /** West had failed once when its grant ended, and two more pods that its status did not count yet; it counts them later. */
  function aLifeWithFailures(failed: number) {
    const { life } = aSpreadLife();
    life.counts(10, 'west', 1, '', { failed: 1 });
    life.ends(30, 'west', 1, 'stopped');
    const leftBy = { 1: { failures: {}, uncountedPodCount: 2 } };
    const candidates = { readAt: 31_000, clusters: [], leftBy };
    life.writes(31, { failed: 3 }, {}, { candidates });
    life.counts(40, 'west', 1, '', { failed: 3 });
    life.counts(41, 'north', 2, '', { failed: 1 });
    life.writes(42, { failed });
    return life;
  }

  it('reports no fault when each failed pod counts once', () => {
    expect(verifyPlacements(aLifeWithFailures(4).events)).toMatchObject(NOTHING);
  });

  it('reports a fault when the Job counts failed pods at the end of a grant, and again when their cluster counts them', () => {
    expect(verifyPlacements(aLifeWithFailures(6).events).findings).toMatchObject([
      {
        type: 'counted-twice',
        clusters: ['east'],
        message: 'the Job counts 6 failed pods, but its members have had 4',
      },
    ]);
  });

  it('reports a fault when only the watch shows the status that counts the failures again', () => {
    const life = aLifeWithFailures(4);
    life.writesUnanswered(50, { failed: 6 });
    expect(verifyPlacements(life.events).findings).toMatchObject([
      { type: 'counted-twice', message: 'the Job counts 6 failed pods, but its members have had 4' },
    ]);
  });

  it('reports a double count once, however many statuses count the failures again', () => {
    const life = aLifeWithFailures(6);
    life.writes(50, { failed: 6, ready: 0 });
    expect(verifyPlacements(life.events).findings.map(({ type }) => type)).toEqual(['counted-twice']);
  });

  it('reports no double count when the beginning of the history is missing', () => {
    const { events } = aLifeWithFailures(6);
    expect(verifyPlacements(events.slice(3)).findings.map(({ type }) => type)).not.toContain('counted-twice');
  });
});
