import { describe, expect, it } from '@jest/globals';
import { aPlacedWorld } from './a-placed-world.ts';

describe('a suspension that a user asked for, and whose author resumes the Job meanwhile', () => {
  it('is not carried out a second time by the next attempt', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' });
    await world.work();
    world.fold({ type: 'command.received', command: 'suspend', requestId: 'r1', by: 'anna' } as never);
    const decision = world.decide();
    if (decision === null) throw new Error('nothing was decided');
    const east = world.api('east');
    let died = false;
    // The request is carried out, and the process dies before it has recorded that.
    east.after = ({ method, body }) => {
      if (method !== 'PATCH' || !JSON.stringify(body).includes('suspend') || died) return;
      died = true;
      throw new Error('the process died');
    };
    await world.carryOut(decision).catch(() => undefined);
    expect(world.job('east', 'pi').spec.suspend).toBe(true);
    // Anna sees it suspended, and resumes it.
    world.edit(({ spec }) => void (spec.suspend = false));
    await world.carryOut(decision, 2);
    await world.work();
    expect(world.job('east', 'pi').spec.suspend).toBe(false);
  });
});
