import { describe, expect, it } from '@jest/globals';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { acknowledge, setRooms } from './index-acknowledgements.ts';

describe('a spread Job whose failed indexes wait for their back-off in one member (J-17.4, J-16.20)', () => {
  it('asks that member to give these indexes back only a few times during the wait', async () => {
    const world = aPlacedWorld({
      annotations: { spread: 'room' },
      spec: { completions: 8, backoffLimitPerIndex: 6 },
    });
    setRooms(world, 4, 0);
    await world.work();
    acknowledge(world, ['west', 'pi'], '0-3', { active: 4, ready: 4 });
    await world.work();
    setRooms(world, 1, 3);
    const sent: string[] = [];
    // The four pods have failed: no pod is there, and the controller keeps their indexes until their back-off is over.
    for (let times = 0; times < 60; times += 1) {
      acknowledge(world, ['west', 'pi'], '0-3', { active: 0, ready: 0 });
      sent.push(...(await world.workFor(2)));
    }
    expect(sent).toContain('LookUpMember west/pi');
    expect(sent.filter((each) => each === 'ChangeMember west/pi').length).toBeLessThan(6);
  });
});

describe('a spread Job with one deleted member whose last pod does not end (J-17.4, J-16.20)', () => {
  async function twoMembers(): Promise<PlacedWorld> {
    const world = aPlacedWorld({
      annotations: { spread: 'even' },
      spec: { completions: 16, parallelism: 8 },
    });
    await world.work();
    return world;
  }

  it('does not repeatedly take indexes from the other member and give them back', async () => {
    const world = await twoMembers();
    const names = Object.fromEntries(world.grants().map(({ cluster, name }) => [cluster, name]));
    const [west, north] = [names['west'] ?? '', names['north'] ?? ''];
    acknowledge(world, ['west', west], '', { active: 4, ready: 4 });
    acknowledge(world, ['north', north], '', { active: 4, ready: 4 });
    await world.work();
    const uid = world.job('north', north).metadata.uid;
    acknowledge(world, ['north', north], '', { active: 1, ready: 1, succeeded: 7, completedIndexes: '8-14' });
    world.api('north').pods.push({
      metadata: {
        name: `${north}-15-abcde`,
        namespace: 'team',
        uid: 'p',
        resourceVersion: '1',
        creationTimestamp: '2026-03-01T12:00:00Z',
        labels: { 'batch.kubernetes.io/controller-uid': uid },
      },
      spec: { nodeName: 'dead', containers: [] },
      status: { phase: 'Running' },
    });
    world.removes('north', north);
    await world.work();
    const sent: string[] = [];
    for (let times = 0; times < 60; times += 1) {
      sent.push(...(await world.workFor(2)));
      acknowledge(world, ['west', west], '0-3', { active: 4, ready: 4 });
    }
    expect(sent.filter((each) => each === `ChangeMember west/${west}`).length).toBeLessThan(6);
  });
});
