import { describe, expect, it } from '@jest/globals';
import { choose } from '../../workflows/placement/decide/choose.ts';
import type { Candidate } from '../../workflows/placement/settings.ts';
import { aPlacedJob } from './a-placed-job.ts';

const NONE = { excluded: new Map<string, string>() };

/** The clusters in the order in which they are preferred; the Job runs two pods at once. */
function ranked(candidates: readonly Candidate[], clusters?: string): string[] {
  const job = aPlacedJob({ annotations: clusters === undefined ? {} : { clusters } });
  return choose(job, candidates, NONE).ranked.map(({ cluster }) => cluster);
}

describe('the refused clusters of a placed Job (J-16.4)', () => {
  it('are the clusters that cannot accept the Job, each with its reason', () => {
    const job = aPlacedJob({ annotations: { clusters: 'west, north, south' } });
    const candidates = [
      { cluster: 'east', room: 9 },
      { cluster: 'west', refused: 'drained by anna' },
      { cluster: 'north', room: 9 },
    ];
    const excluded = new Map([['north', 'its pods found no node there']]);
    const { chosen, refused } = choose(job, candidates, { excluded });
    expect(chosen).toBeNull();
    expect(refused).toEqual([
      { cluster: 'east', why: 'the Job does not name it' },
      { cluster: 'west', why: 'drained by anna' },
      { cluster: 'north', why: 'its pods found no node there' },
      { cluster: 'south', why: 'no cluster that the operator allows has this name' },
    ]);
  });

  it('include clusters without a label that the Job requires', () => {
    const job = aPlacedJob({ annotations: { clusters: 'region=eu, gpu=a100' } });
    const candidates = [
      { cluster: 'east', labels: { region: 'eu' } },
      { cluster: 'west', labels: { region: 'eu', gpu: 'a100' } },
    ];
    const { chosen, refused } = choose(job, candidates, NONE);
    expect(chosen?.cluster).toBe('west');
    expect(refused).toEqual([{ cluster: 'east', why: 'it has no label gpu=a100' }]);
  });

  it('include clusters without room when the Job moves because its pods find no node', () => {
    const candidates = [
      { cluster: 'west', room: 0 },
      { cluster: 'north', room: 1 },
    ];
    const { ranked: left } = choose(aPlacedJob(), candidates, { ...NONE, withRoom: true });
    expect(left.map(({ cluster }) => cluster)).toEqual(['north']);
  });
});

describe('the chosen cluster of a placed Job (J-16.5)', () => {
  it('has room for all pods, or unknown room, or else room for some pods, or else none', () => {
    const candidates = [
      { cluster: 'a', room: 0 },
      { cluster: 'b', room: 1 },
      { cluster: 'c', room: 2 },
      { cluster: 'd' },
    ];
    expect(ranked(candidates, 'a, b, d, c')).toEqual(['d', 'c', 'b', 'a']);
  });

  it('is chosen by the order that the Job gives, then by price, then by room, and then by name', () => {
    const candidates = [
      { cluster: 'e', room: 5, price: 2 },
      { cluster: 'd', room: 5, price: 2 },
      { cluster: 'c', room: 9, price: 2 },
      { cluster: 'b', room: 5, price: 1 },
      { cluster: 'a', room: 5 },
    ];
    expect(ranked(candidates)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(ranked(candidates, 'e, c, b')).toEqual(['e', 'c', 'b']);
  });
});
