import { describe, expect, it } from '@jest/globals';
import { clusterWords } from '../../services/contracts/cluster-words.ts';
import { shownEpoch } from '../../services/contracts/epoch.ts';

const BY_ANNA = { by: 'anna', at: 1000 };

function words(records: Record<string, unknown>) {
  return clusterWords(new Map(Object.entries(records).map(([key, value]) => [key, JSON.stringify(value)])));
}

describe('what is said of clusters (J-16.12, J-16.13, J-16.14)', () => {
  it('is what persons and ingesters have recorded, by name', () => {
    expect(
      words({
        'said/west': { cordoned: { ...BY_ANNA, drain: true } },
        'silent/west': { since: 2000 },
        'said/north': { lost: BY_ANNA },
        finalized: 11,
      }),
    ).toEqual({
      west: { cordoned: { ...BY_ANNA, drain: true }, silentSince: 2000 },
      north: { lost: BY_ANNA },
    });
  });

  it('is nothing once it was taken back, or the cluster answers', () => {
    expect(words({ 'said/west': {}, 'silent/west': { since: null } })).toEqual({});
  });

  it('is nothing in a record that cannot be read', () => {
    expect(words({ 'said/west': { lost: 'yes' }, 'silent/west': 'now' })).toEqual({});
    expect(clusterWords(new Map([['said/west', '{']]))).toEqual({});
  });
});

describe('the epoch of a cluster', () => {
  it('is the one that its ingester has begun, and none in a record that cannot be read', () => {
    const shown = (value: string) => shownEpoch('west', new Map([['epoch/west', value]]));
    expect(shown('{"epoch":2}')).toBe(2);
    expect([shown('{"epoch":"2"}'), shown('{'), shownEpoch('west', new Map())]).toEqual([0, 0, 0]);
  });
});
