import { describe, expect, it } from '@jest/globals';
import { parseExact } from '../../services/adapters/exact-json.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { verifyPlacements } from '../../workflows/history/placements/verify-placements.ts';
import { aPlacedLife } from './a-placed-life.ts';

/** West was restored from a copy without the member. The list of its Jobs, at 50, and that of its pods show neither it nor its pod. */
function aLostPod({ podsListed }: { podsListed: number }) {
  const life = aPlacedLife();
  life.gives(0, 'west', 1);
  life.created(1, 'west', 1);
  const name = life.pod('west', 1, { index: 0, from: 10 });
  const podIsGone = (): void => {
    life.podGone(podsListed, 'west', 1, name);
    Object.assign((life.events.at(-1) as LedgerEvent).data, { seen: false, epoch: 1 });
  };
  if (podsListed <= 50) podIsGone();
  life.gone(50, 'west', 1, 1);
  if (podsListed > 50) podIsGone();
  return life;
}

/** North runs the same index after the grant of west has ended. */
function movesAt(life: ReturnType<typeof aPlacedLife>, seconds: number): unknown[] {
  life.ends(seconds, 'west', 1, 'gone');
  life.gives(seconds + 1, 'north', 2);
  life.created(seconds + 2, 'north', 2);
  life.pod('north', 2, { index: 0, from: seconds + 8, until: seconds + 48 });
  const { findings, withinTolerance, unseen } = verifyPlacements(life.events);
  return [...findings, ...withinTolerance, ...unseen];
}

describe('a pod that is missing in a restored cluster (J-16.19)', () => {
  it('counts as possibly running when its grant ended without a wait for the kubelet and another cluster then ran the same index', () => {
    // Its kubelet has a minute and the grace period to end the pod.
    expect(movesAt(aLostPod({ podsListed: 50 }), 52)).not.toEqual([]);
  });

  it('counts as ended when its home has waited for the kubelet since the first list, even if the list of pods arrives later', () => {
    expect(movesAt(aLostPod({ podsListed: 80 }), 142)).toEqual([]);
  });

  it('does not fail the verification of the whole ledger when it has the longest terminationGracePeriodSeconds', () => {
    const life = aLostPod({ podsListed: 50 });
    // As the ledger is read: exact.
    const spec = parseExact('{"terminationGracePeriodSeconds": 9223372036854775807}') as object;
    for (const event of life.events)
      if (event.type === 'pod.observed')
        Object.assign((event.data as { object: { spec: object } }).object.spec, spec);
    expect(() => verifyPlacements(life.events)).not.toThrow();
  });
});
