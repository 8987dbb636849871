import { describe, expect, it } from '@jest/globals';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { verifyPlacements } from '../../workflows/history/placements/verify-placements.ts';
import { aPlacedLife } from './a-placed-life.ts';

describe('a pod that a restored cluster does not have any more (J-16.19)', () => {
  it('may run on: nobody saw its end when its grant ended at once, and north ran the same index', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    const name = life.pod('west', 1, { index: 0, from: 10 });
    // West is restored from a copy without the member: the first list shows neither it nor its pod.
    life.podGone(50, 'west', 1, name);
    Object.assign((life.events.at(-1) as LedgerEvent).data, { seen: false, epoch: 1 });
    life.gone(50, 'west', 1, 1);
    // Its kubelet has a minute and the grace period to end the pod; the grant ends two seconds later.
    life.ends(52, 'west', 1, 'gone');
    life.gives(53, 'north', 2);
    life.created(54, 'north', 2);
    life.pod('north', 2, { index: 0, from: 60, until: 100 });
    const { findings, withinTolerance, unseen } = verifyPlacements(life.events);
    expect([...findings, ...withinTolerance, ...unseen]).not.toEqual([]);
  });
});
