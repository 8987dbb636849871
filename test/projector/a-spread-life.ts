import { aPlacedLife } from '../history/a-placed-life.ts';
import { aMember } from '../placement/a-placed-job.ts';

const why = { rule: 'J-17.3', message: 'its share' } as const;
const WEST = { cluster: 'west', grant: 1, name: 'pi' };
const NORTH = { cluster: 'north', grant: 2, name: 'pi-m2' };

/**
 * A Job of east with the indexes 0 to 5 in two clusters: west has 0 to 3 from 0 s on, north 4 and 5 from 2 s on. At 40 s, west has given
 * up 2 and 3, which north gets at 41 s. A pod runs in west; in north, index 4 succeeds at 20 s, and 5 and 2 run.
 */
export function aSpreadLife() {
  const life = aPlacedLife();
  life.placed(0);
  life.decides(0, [{ kind: 'CreateMember', ...WEST, spec: {}, indexes: '0-3', why }]);
  life.created(1, 'west', 1);
  life.decides(2, [{ kind: 'CreateMember', ...NORTH, spec: {}, indexes: '4,5', why }]);
  life.created(3, 'north', 2);
  life.pod('west', 1, { index: 0, from: 5 });
  life.seen(6, 'west', 1, 'west-1', { active: 1, ready: 1 });
  life.pod('north', 2, { index: 4, from: 5, until: 20 });
  life.seen(7, 'north', 2, 'north-2', { active: 1 });
  life.pod('north', 2, { index: 5, from: 21 });
  life.counts(22, 'north', 2, '4');
  life.seen(22, 'north', 2, 'north-2', { active: 1, succeeded: 1, completedIndexes: '4' });
  const changes = {
    kind: 'ChangeMember',
    from: { resourceVersion: '1', generation: 1 },
    spec: {},
    why,
  } as const;
  life.decides(30, [{ ...changes, ...WEST, uid: 'west-1', indexes: { number: 2, indexes: '0,1' } }]);
  life.decides(39, [{ kind: 'LookUpMember', ...WEST, uid: 'west-1', givenUp: '2,3', why }]);
  const member = aMember({ active: 1 }, { uid: 'west-1' });
  life.answers(40, {
    kind: 'LookUpMember',
    result: 'done',
    member,
    pods: { open: 0 },
    givenUp: '2,3',
    listedAt: '900',
  });
  life.decides(41, [{ ...changes, ...NORTH, uid: 'north-2', indexes: { number: 2, indexes: '2-5' } }]);
  life.pod('north', 2, { index: 2, from: 45 });
  life.seen(46, 'north', 2, 'north-2', { active: 2, succeeded: 1, completedIndexes: '4' });
  return life;
}
