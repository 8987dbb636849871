import { describe, expect, it } from '@jest/globals';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { verifyPlacements } from '../../workflows/history/placements/verify-placements.ts';
import { aPlacedLife } from './a-placed-life.ts';

describe('a pod that a restored cluster lacks, whose absence a long list of pods shows a while after the restore', () => {
  it('has ended when its home has waited for its kubelet since the restore (J-16.19)', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    const name = life.pod('west', 1, { index: 0, from: 10 });
    // Restored at 40; the list of Jobs shows at 50 that the member is gone, that of the pods, which comes after it, at 80.
    life.gone(50, 'west', 1, 1);
    life.podGone(80, 'west', 1, name);
    Object.assign((life.events.at(-1) as LedgerEvent).data, { seen: false, epoch: 1 });
    // The home has waited for a minute and the grace period since the decision that followed the first list.
    life.ends(142, 'west', 1, 'gone');
    life.gives(143, 'north', 2);
    life.created(144, 'north', 2);
    life.pod('north', 2, { index: 0, from: 150, until: 190 });
    const { findings, withinTolerance, unseen } = verifyPlacements(life.events);
    expect([...findings, ...withinTolerance, ...unseen]).toEqual([]);
  });
});
