import { describe, expect, it } from '@jest/globals';
import { CORE_VERSION } from '../../workflows/placement/core.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import { whatIf } from '../../workflows/history/what-if/what-if.ts';
import type { PlacementChange, WhatIfPlacements } from '../../workflows/history/what-if-placements/types.ts';
import { whatIfPlacements } from '../../workflows/history/what-if-placements/what-if-placements.ts';
import { why } from '../../workflows/history/why/why.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aDrainedLife } from './a-placed-life.ts';
import { aRecordedPlacement } from './a-recorded-placement.ts';
import { aRecordedJob } from './a-stream.ts';

const EVENTS = aRecordedPlacement();

function ask(change: Partial<PlacementChange>): WhatIfPlacements {
  const answer = whatIfPlacements(EVENTS, { without: [], prices: {}, ...change });
  if (isRefused(answer)) throw new Error(answer.words);
  return answer;
}

/** Each choice: where it went, the result, and where it would have gone. */
function choices(change: Partial<PlacementChange>): unknown[] {
  return ask(change).choices.map(({ actual, result, counterfactual }) => [
    actual.cluster,
    result,
    counterfactual === null ? 'unknown' : (counterfactual.cluster ?? counterfactual.kind),
  ]);
}

describe('where a placed Job would have gone (J-16.4, J-16.5)', () => {
  it('is asked of a stream that re-executes bit for bit', () => {
    expect(verifyStream(EVENTS)).toMatchObject({ decisions: 3, unchecked: 0, findings: [] });
  });

  it('without the cluster that was chosen: elsewhere, and nothing is known from then on', () => {
    expect(choices({ without: ['west'] })).toEqual([
      ['west', 'different', 'north'],
      ['north', 'unknown', 'unknown'],
    ]);
    expect(ask({ without: ['west'] })).toMatchObject({
      job: 'east/default/pi',
      cores: [CORE_VERSION],
      comparison: 'different',
      unknown: { since: '2026-03-01T12:00:01.000Z' },
    });
  });

  it('without the cluster of a later choice: the same until then', () => {
    expect(choices({ without: ['north'] })).toEqual([
      ['west', 'same', 'west'],
      ['north', 'different', 'waited'],
    ]);
    const [, last] = ask({ without: ['north'] }).choices;
    expect(last?.counterfactual?.words).toContain('north: left out of this question');
    expect(last?.counterfactual?.words).toContain('west: the quota of the namespace is used up');
  });

  it('at another price: elsewhere when that makes it the cheapest, else the same', () => {
    expect(choices({ prices: { north: 0.05 } })[0]).toEqual(['west', 'different', 'north']);
    expect(ask({ prices: { west: 0.15 } })).toMatchObject({ comparison: 'same', unknown: null });
    expect(choices({ prices: { west: 0.3 }, without: ['north'] })[0]).toEqual(['west', 'same', 'west']);
  });

  it.each([
    [EVENTS, 'south', 'no recorded choice had a cluster "south"; they had north, west'],
    [aDrainedLife().events.slice(0, 1), 'west', 'no recorded decision chose a cluster for the Job'],
    [aRecordedJob(), 'west', 'it is not a placed Job: its cluster was not chosen by Jobledger'],
  ])('is refused where the question has no meaning (%#)', (events, without, words) => {
    expect(whatIfPlacements(events, { without: [without], prices: {} })).toMatchObject({ words });
  });

  it('is not asked by the policy of a Job', () => {
    const answer = whatIf(EVENTS as unknown as JobEvent[], { backoffLimit: 1 });
    expect(answer).toEqual({
      refused: 'unknown',
      words:
        'it is a placed Job, and its member ended by the policy: ask about the member, or where the Job would have gone',
    });
  });
});

describe('why, of a placed Job', () => {
  it('is answered after a look-up of its member, whose pods are a number (J-16.10)', () => {
    const events = aRecordedPlacement({ isLookedUp: true });
    expect(verifyStream(events).findings).toEqual([]);
    expect(isRefused(why(events as unknown as JobEvent[], { about: 'job' }))).toBe(false);
  });
});
