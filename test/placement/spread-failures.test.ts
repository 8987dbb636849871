import { describe, expect, it } from '@jest/globals';
import { sumTotals } from '../../workflows/placement/decide/spread/totals.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 1, ready: 1, startTime: '2026-03-01T12:00:00Z' };

function failedIn(world: PlacedWorld): number {
  const { job, ...state } = world.state();
  if (job === null) throw new Error('the Job was not observed');
  return sumTotals({ state: { ...state, job }, job, now: world.now, settings: {} }).failed;
}

describe('a failed pod in a cluster that was abandoned before the status of the member counted the pod (J-17.6)', () => {
  it('is counted once, also when the cluster answers again and the status of the member counts the pod', async () => {
    const world = aPlacedWorld({
      annotations: { spread: 'even', 'if-cluster-is-lost': 'MoveAfter=10s' },
      spec: { backoffLimitPerIndex: 3 },
    });
    await world.work();
    const [grant] = world.grants().filter(({ cluster }) => cluster === 'west');
    if (grant === undefined) throw new Error('west has no grant');
    world.shows('west', grant.name, RUNS);
    await world.work();
    world.silences('west', true);
    world.pass(11);
    const failures = { indexes: { 0: { failureCount: 1, ignoredFailureCount: 0, at: 5 } } };
    world.leftBy = { [grant.number]: { failures, uncountedPodCount: 1 } };
    world.candidates = [{ cluster: 'north', room: 9 }];
    await world.work();
    expect(failedIn(world)).toBe(1);
    world.shows('west', grant.name, { ...RUNS, failed: 1 });
    expect(failedIn(world)).toBe(1);
    world.shows('west', grant.name, { ...RUNS, failed: 2 });
    expect(failedIn(world)).toBe(2);
  });
});
