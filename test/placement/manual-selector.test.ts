import { describe, expect, it } from '@jest/globals';
import { aPlacedWorld } from './a-placed-world.ts';

const MANUAL = {
  manualSelector: true,
  selector: { matchLabels: { app: 'pi' } },
};

describe('a placed Job with its own pod selector (J-16.10)', () => {
  it.each([{}, { spread: 'even' }])(
    'is not placed, and its condition and an Event name the manualSelector as the reason (%j)',
    async (annotations) => {
      const world = aPlacedWorld({ annotations, spec: MANUAL });
      expect(new Set(await world.workFor(60))).toEqual(new Set(['EmitEvents', 'WriteStatus']));
      expect([...world.api('west').jobs.keys()]).toEqual([]);
      expect(world.api('east').events).toContainEqual(
        expect.objectContaining({ type: 'Warning', reason: 'ManualSelector' }),
      );
      expect(world.job('east', 'pi').status?.conditions).toMatchObject([
        {
          type: 'jobledger.dev/Placed',
          status: 'False',
          reason: 'NotPlaced',
          message: expect.stringContaining('manualSelector'),
        },
      ]);
    },
  );
});
