import { describe, expect, it } from '@jest/globals';
import { availabilityIn } from '../../services/live-topic/cluster-availability.ts';

const BY_ANNA = { by: 'anna', at: 1000 };

function message(records: Record<string, unknown>) {
  return availabilityIn(new Map(Object.entries(records).map(([key, value]) => [key, JSON.stringify(value)])));
}

describe('the availability of clusters (J-16.12, J-16.13, J-16.14)', () => {
  it('is the state that people and ingesters have recorded, by the name of the cluster', () => {
    expect(
      message({
        'override/west': { cordoned: { ...BY_ANNA, drain: true } },
        'silent/west': { since: 2000 },
        'override/north': { lost: BY_ANNA },
        finalized: 11,
      }),
    ).toEqual({
      west: { cordoned: { ...BY_ANNA, drain: true }, silentSince: 2000 },
      north: { lost: BY_ANNA },
    });
  });

  it('is empty when a user removed the override or the cluster answers', () => {
    expect(message({ 'override/west': {}, 'silent/west': { since: null } })).toEqual({});
  });

  it('is empty for a record that cannot be read', () => {
    expect(message({ 'override/west': { lost: 'yes' }, 'silent/west': 'now' })).toEqual({});
    expect(availabilityIn(new Map([['override/west', '{']]))).toEqual({});
  });
});
