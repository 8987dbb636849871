import { describe, expect, it } from '@jest/globals';
import { parseExact } from '../../services/adapters/exact-json.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { verifyPlacements } from '../../workflows/history/placements/verify-placements.ts';
import { aPlacedLife } from './a-placed-life.ts';

describe('a pod whose author gave it the longest terminationGracePeriodSeconds, in a cluster that is restored', () => {
  it('does not end the proof of the whole ledger with an exception', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    const name = life.pod('west', 1, { index: 0, from: 10 });
    life.podGone(50, 'west', 1, name);
    Object.assign((life.events.at(-1) as LedgerEvent).data, { seen: false, epoch: 1 });
    life.gone(50, 'west', 1, 1);
    // As the ledger is read: exact.
    const spec = parseExact('{"terminationGracePeriodSeconds": 9223372036854775807}') as object;
    for (const event of life.events)
      if (event.type === 'pod.observed')
        Object.assign((event.data as { object: { spec: object } }).object.spec, spec);
    expect(() => verifyPlacements(life.events)).not.toThrow();
  });
});
