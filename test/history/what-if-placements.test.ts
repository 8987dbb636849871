import { describe, expect, it } from '@jest/globals';
import { placementsText } from '../../cli/verbs/what-if/placements-text.ts';
import { CORE_VERSION } from '../../workflows/placement/core.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import { whatIf } from '../../workflows/history/what-if/what-if.ts';
import type { PlacementChange, WhatIfPlacements } from '../../workflows/history/what-if-placements/types.ts';
import { whatIfPlacements } from '../../workflows/history/what-if-placements/what-if-placements.ts';
import { why } from '../../workflows/history/why/why.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aPlacementRecording } from './a-placement-recording.ts';
import { aDrainedLife } from './a-placed-life.ts';
import { aRecordedPlacement } from './a-recorded-placement.ts';
import { aRecordedJob } from './a-stream.ts';

const EVENTS = aRecordedPlacement();

function ask(change: Partial<PlacementChange>): WhatIfPlacements {
  const answer = whatIfPlacements(EVENTS, { without: [], prices: {}, ...change });
  if (isRefused(answer)) throw new Error(answer.message);
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

describe('a what-if about the cluster of a placed Job (J-16.4, J-16.5)', () => {
  it('reads a stream that is verified without findings', () => {
    expect(verifyStream(EVENTS)).toMatchObject({ decisions: 3, unchecked: 0, findings: [] });
  });

  it('gives another cluster when the chosen cluster is excluded, and an unknown result after that decision', () => {
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

  it('gives the same result up to a later choice whose cluster is excluded', () => {
    expect(choices({ without: ['north'] })).toEqual([
      ['west', 'same', 'west'],
      ['north', 'different', 'waited'],
    ]);
    const [, last] = ask({ without: ['north'] }).choices;
    expect(last?.counterfactual?.message).toContain('north: left out of this question');
    expect(last?.counterfactual?.message).toMatch(
      /west: it has refused the member once .*: the quota of the namespace is used up/,
    );
  });

  it('gives another cluster when a price makes it the cheapest, and otherwise the same cluster', () => {
    expect(choices({ prices: { north: 0.05 } })[0]).toEqual(['west', 'different', 'north']);
    expect(ask({ prices: { west: 0.15 } })).toMatchObject({ comparison: 'same', unknown: null });
    expect(choices({ prices: { west: 0.3 }, without: ['north'] })[0]).toEqual(['west', 'same', 'west']);
  });

  it.each([
    [EVENTS, 'south', 'no recorded choice had a cluster "south"; they had north, west'],
    [aDrainedLife().events.slice(0, 1), 'west', 'no recorded decision chose a cluster for the Job'],
    [aRecordedJob(), 'west', 'it is not a placed Job: its cluster was not chosen by Jobledger'],
  ])('is refused for a question that does not fit the Job (%#)', (events, without, message) => {
    expect(whatIfPlacements(events, { without: [without], prices: {} })).toMatchObject({ message });
  });

  it('is named as an alternative when a what-if about another backoffLimit is refused', () => {
    const answer = whatIf(EVENTS as unknown as JobEvent[], { backoffLimit: 1 });
    expect(answer).toEqual({
      refused: 'unknown',
      message:
        'it is a placed Job, and its member ended by the policy: ask about the member, or where the Job would have gone',
    });
  });
});

/** Two clusters, of which west is cheaper and has three times the room of north; a third comes later. */
function aSharedJob(spread: string) {
  const home = aPlacementRecording(
    { completionMode: 'Indexed', completions: 40, parallelism: 8 },
    { spread },
  );
  const [west, north] = [
    { room: 6, price: 0.1 },
    { room: 2, price: 0.3 },
  ];
  home.under({ west, north });
  home.job(0);
  home.decides(1);
  home.under({ west, north, south: { room: 8, price: 0.2 } });
  home.decides(40);
  return home.events;
}

describe('a what-if about the shares of a spread Job (J-17.2)', () => {
  const asked = (spread: string, change: Partial<PlacementChange>): WhatIfPlacements => {
    const answer = whatIfPlacements(aSharedJob(spread), { without: [], prices: {}, ...change });
    if (isRefused(answer)) throw new Error(answer.message);
    return answer;
  };
  const shares = (answer: WhatIfPlacements): unknown[] =>
    answer.choices.map(({ actual, result, counterfactual }) => [
      actual.shares,
      result,
      counterfactual?.shares ?? counterfactual?.kind ?? 'unknown',
    ]);

  it('reads a stream that is verified without findings', () => {
    expect(verifyStream(aSharedJob('room'))).toMatchObject({ unchecked: 0, findings: [] });
  });

  it('gives equal shares instead of shares by room, and an unknown result after that decision', () => {
    const answer = asked('room', { spread: 'even' });
    expect(shares(answer)).toEqual([
      [{ west: 6, north: 2 }, 'different', { west: 4, north: 4 }],
      [{ south: 4, west: 3, north: 1 }, 'unknown', 'unknown'],
    ]);
    expect(answer.unknown?.since).toBe(answer.choices[0]?.at);
  });

  it('gives the cheapest cluster the largest share when shares follow the price, and the first members other indexes', () => {
    const [first] = asked('even', { spread: 'price' }).choices;
    expect(first).toMatchObject({
      actual: { shares: { west: 4, north: 4 }, begun: { west: '0-9', north: '10-19' } },
      counterfactual: { shares: { west: 6, north: 2 } },
    });
    expect(first?.counterfactual?.begun?.['west']).toMatch(/^0-1\d$/);
  });

  it('gives the same result when the value of the annotation spread stays the same', () => {
    expect(asked('even', { spread: 'even' })).toMatchObject({ comparison: 'same', unknown: null });
  });

  it('gives another result when a cluster is excluded, or when other prices change a share', () => {
    expect(shares(asked('room', { without: ['north'] }))[0]).toEqual([
      { west: 6, north: 2 },
      'different',
      { west: 8 },
    ]);
    expect(shares(asked('price', { prices: { north: 0.05 } }))[0]).toEqual([
      { west: 6, north: 2 },
      'same',
      { west: 6, north: 2 },
    ]);
    expect(shares(asked('price', { prices: { south: 0.05 } })).map((each) => (each as unknown[])[1])).toEqual(
      ['same', 'different'],
    );
    expect(asked('price', { without: ['west', 'north'] }).choices[0]?.counterfactual).toMatchObject({
      kind: 'shared',
      shares: {},
    });
  });

  it('shows the shares of each cluster', () => {
    const text = placementsText(asked('room', { spread: 'even' }));
    expect(text).toContain('west 6, north 2');
    expect(text).toContain(
      '8 pods at once by even: west 4, north 4; members begin with west 0-9, north 10-19',
    );
    expect(text).toContain('nobody saw how the Job would have gone on after another choice');
  });

  it('is refused for a Job that ran in one cluster at a time', () => {
    expect(whatIfPlacements(EVENTS, { without: [], prices: {}, spread: 'even' })).toMatchObject({
      message: 'no recorded decision shared the Job out: it ran in one cluster at a time',
    });
  });
});

describe('the answer of the verb why about a placed Job', () => {
  it('is given when only a look-up, which reports a number of pods, has shown the member (J-16.10)', () => {
    const events = aRecordedPlacement({ isLookedUp: true });
    expect(verifyStream(events).findings).toEqual([]);
    expect(isRefused(why(events as unknown as JobEvent[], { about: 'job' }))).toBe(false);
  });
});
