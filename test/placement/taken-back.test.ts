import { describe, expect, it } from '@jest/globals';
import { formatIndexes, parseIndexes, union } from '../../workflows/job/definitions/completion-indexes.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';

/** The controller of the member in west acknowledges what it was sent; it keeps the indexes that its pods have begun (J-17.4). */
function acknowledge(world: PlacedWorld, begun: string): void {
  const { metadata } = world.job('west', 'pi');
  const [number, asked = ''] = (metadata.annotations?.['jobledger.dev/indexes'] ?? '').split(':');
  const kept = formatIndexes(union(parseIndexes(asked, 8), parseIndexes(begun, 8)));
  world.shows('west', 'pi', {
    active: 4,
    ready: 4,
    startTime: '2026-03-01T12:00:00Z',
    conditions: [
      { type: 'jobledger.dev/Indexes', status: 'True', reason: 'Granted', message: `${number}:${kept}` },
    ],
  });
}

describe('a spread Job whose pods have begun more indexes than the new share of their cluster (J-17.4)', () => {
  it('asks its member for them a few times, and not as long as they run', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'room' }, spec: { completions: 8 } });
    const rooms = (west: number, north: number): void =>
      void (world.candidates = [
        { cluster: 'west', room: west, price: 1 },
        { cluster: 'north', room: north, price: 1 },
      ]);
    rooms(4, 0);
    await world.work();
    acknowledge(world, '0-3');
    await world.work();
    rooms(1, 3);
    const sent: string[] = [];
    for (let times = 0; times < 60; times += 1) {
      sent.push(...(await world.workFor(2)));
      acknowledge(world, '0-3');
    }
    expect(sent).toContain('LookUpMember west/pi');
    expect(sent.filter((each) => each === 'ChangeMember west/pi').length).toBeLessThan(4);
    // Its cluster was restored from a copy in which no pod had begun them: it would never run those that it has not kept.
    acknowledge(world, '');
    expect(await world.work()).toEqual(
      expect.arrayContaining(['LookUpMember west/pi', 'ChangeMember west/pi']),
    );
    expect(world.job('west', 'pi').metadata.annotations?.['jobledger.dev/indexes']).toBe('4:0-3');
  });
});
