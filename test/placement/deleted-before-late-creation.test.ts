import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { decide } from '../../workflows/placement/decide/decide.ts';
import { isOver } from '../../workflows/placement/decide/end.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

/** West carries out the first creation, its answer is lost, and so is a second request a second later, which may arrive still. */
async function aLostAnswer(): Promise<PlacedWorld> {
  const world = aPlacedWorld();
  const west = world.api('west');
  west.before = () => {
    if (west.jobs.has('pi')) throw new UnavailableError('west is away');
  };
  west.after = () => {
    throw new UnavailableError('the answer was lost');
  };
  await world.workFor(1);
  expect(world.grants()[0]).toMatchObject({ isDoubtful: true, requests: 2 });
  Object.assign(west, { before: () => {}, after: () => {} });
  return world;
}

function deleteHome(world: PlacedWorld): void {
  world.edit(({ metadata }) => {
    metadata.deletionTimestamp = new Date(world.now).toISOString();
  });
}

describe('a placed Job that is deleted while a request may create its member again (J-16.17)', () => {
  it('retains its finalizer until the request cannot arrive any more, also when another client has deleted the member first', async () => {
    const world = await aLostAnswer();
    const second = structuredClone(world.job('west', 'pi'));
    world.observe('west', 'pi');
    world.removes('west', 'pi');
    deleteHome(world);
    const sent = await world.workFor(5);
    // The late request arrives, five seconds after it was sent.
    second.metadata.uid = 'west-late';
    world.api('west').bump(second);
    world.api('west').jobs.set('pi', second);
    expect(sent).not.toContain('RemoveFinalizer');
    await world.workFor(60);
    expect([...world.api('west').jobs.keys()]).toEqual([]);
  });

  it('retains its finalizer also when the member is deleted while the Job waits for the request', async () => {
    const world = await aLostAnswer();
    world.observe('west', 'pi');
    deleteHome(world);
    expect(await world.workFor(3)).toEqual([]);
    world.removes('west', 'pi');
    expect(await world.workFor(3)).not.toContain('RemoveFinalizer');
  });

  it('has a workflow until the request cannot arrive any more, even if the Job does not exist in its home any more', async () => {
    const world = await aLostAnswer();
    world.observe('west', 'pi');
    world.removes('west', 'pi');
    world.api('east').jobs.delete('pi');
    world.fold({ type: 'job.deleted', resourceVersion: '99999' });
    await world.work();
    expect(decide(world.state(), world.now, {}).commands).toEqual([]);
    expect(isOver(world.state(), {})).toBe(false);
  });
});
