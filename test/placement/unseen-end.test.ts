import { describe, expect, it } from '@jest/globals';
import { leftBy } from '../../workflows/placement/definitions/left.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { aJob } from '../support/builders.ts';
import { given } from '../support/given.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

const RUNS = { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' };
const IS_COMPLETE: JobStatus = {
  startTime: '2026-03-01T12:00:00Z',
  completionTime: '2026-03-01T12:00:09Z',
  succeeded: 4,
  completedIndexes: '0-3',
  conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True', message: 'done' })),
};

/** The member runs; then it is deleted, and all that was written of it meanwhile was lost with the watch history. */
async function aLostStatus(annotations: Record<string, string>, status: JobStatus): Promise<PlacedWorld> {
  const world = aPlacedWorld({ annotations, clusters: ['west'] });
  await world.work();
  world.shows('west', 'pi', RUNS);
  await world.work();
  world.pass(9);
  const left = { failures: {}, uncounted: 0, seen: { resourceVersion: '500', status } };
  Object.assign(world, { left, leftBy: { 1: left } });
  world.removes('west', 'pi');
  return world;
}

describe('a status of a member that its controller has written, and no watch has shown (BR-53, J-16.7)', () => {
  it.each([{}, { spread: 'even' }])('is the end of the Job when it says so (%j)', async (annotations) => {
    const world = await aLostStatus(annotations, IS_COMPLETE);
    const sent = await world.workFor(60);
    expect(sent).not.toContain('CreateMember west/pi-m2');
    expect(world.job('east', 'pi').status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
    expect(world.job('east', 'pi').status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Complete', status: 'True' }),
    );
  });

  it('is continued by the next member', async () => {
    const world = await aLostStatus({}, { ...RUNS, active: 2, succeeded: 2, completedIndexes: '0,1' });
    await world.workFor(60);
    expect(world.job('west', 'pi-m2').status).toMatchObject({ succeeded: 2, completedIndexes: '0,1' });
    expect(world.job('east', 'pi').status).toMatchObject({ succeeded: 2, completedIndexes: '0,1' });
  });

  it('counts for nothing when a later one was seen', async () => {
    const world = await aLostStatus({}, { ...RUNS, active: 2, succeeded: 2, completedIndexes: '0,1' });
    const { left } = world;
    world.left = left && { ...left, seen: { resourceVersion: '1', status: IS_COMPLETE } };
    await world.workFor(60);
    expect(world.job('west', 'pi-m2').status?.succeeded ?? 0).toBe(0);
  });

  it('is what the stream of the member knows, with its version', () => {
    const { state } = given(aJob({ status: { succeeded: 1 } }));
    const { resourceVersion, status } = state.job ?? {};
    expect(leftBy(state)).toEqual({ failures: {}, uncounted: 0, seen: { resourceVersion, status } });
    expect(leftBy({ ...state, epoch: 2 }).seen).toMatchObject({ epoch: 2 });
    expect(leftBy({ ...state, job: null })).toEqual({ failures: {}, uncounted: 0 });
  });
});
