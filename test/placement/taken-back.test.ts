import { describe, expect, it } from '@jest/globals';
import { aPlacedWorld } from './a-placed-world.ts';
import { acknowledge, grantedTo, setRooms } from './index-acknowledgements.ts';

const WEST = ['west', 'pi'] as const;
const RUNS = { active: 4, ready: 4 };

describe('a spread Job with a member that runs more indexes than the new share of its cluster (J-17.4)', () => {
  it('asks that member to give indexes back only a few times while they run', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'room' }, spec: { completions: 8 } });
    setRooms(world, 4, 0);
    await world.work();
    acknowledge(world, WEST, '0-3', RUNS);
    await world.work();
    setRooms(world, 1, 3);
    const sent: string[] = [];
    for (let times = 0; times < 60; times += 1) {
      sent.push(...(await world.workFor(2)));
      acknowledge(world, WEST, '0-3', RUNS);
    }
    expect(sent).toContain('LookUpMember west/pi');
    expect(sent.filter((each) => each === 'ChangeMember west/pi').length).toBeLessThan(4);
    // Its cluster was restored from a copy in which no pod had begun them: it would never run those that it has not kept.
    acknowledge(world, WEST, '', RUNS);
    expect(await world.work()).toEqual(
      expect.arrayContaining(['LookUpMember west/pi', 'ChangeMember west/pi']),
    );
    expect(grantedTo(world, WEST)).toBe('4:0-3');
  });
});
