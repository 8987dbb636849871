import { expect } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

/** West carries out the first creation, its answer is lost, and it takes no other request. */
export async function aLostAnswer(): Promise<PlacedWorld> {
  const world = aPlacedWorld();
  const west = world.api('west');
  west.before = () => {
    if (west.jobs.has('pi')) throw new UnavailableError('west is away');
  };
  west.after = () => {
    throw new UnavailableError('the answer was lost');
  };
  await world.work();
  expect(west.jobs.has('pi')).toBe(true);
  return world;
}

export function answersAgain(world: PlacedWorld): void {
  Object.assign(world.api('west'), { before: () => {}, after: () => {} });
}

/** A pod of the first Job with the name of the member. */
export function podOfFirst(): Pod {
  const labels = { 'batch.kubernetes.io/controller-uid': 'west-1' };
  const metadata = { name: 'pi-0-x', namespace: 'team', uid: 'pod', resourceVersion: '1', labels };
  return { metadata, spec: { containers: [] }, status: { phase: 'Running' } } as unknown as Pod;
}

/** The cluster north has a member, whose creation had no answer, without the counters that it continues. */
export async function withoutCounters(): Promise<PlacedWorld> {
  const world = aPlacedWorld();
  await world.work();
  world.shows('west', 'pi', { active: 2, ready: 2, succeeded: 2, completedIndexes: '0,1' });
  await world.work();
  world.availability = { west: { cordoned: { by: 'anna', at: 0, drain: true } } };
  await world.work();
  const done = { succeeded: 2, completedIndexes: '0,1' };
  world.shows('west', 'pi', { ...done, conditions: [{ type: 'Suspended', status: 'True' }] });
  const north = world.api('north');
  north.after = ({ method }) => {
    if (method === 'POST') throw new UnavailableError('the answer was lost');
  };
  await world.work();
  world.observe('north', 'pi-m2');
  north.after = () => {};
  return world;
}
