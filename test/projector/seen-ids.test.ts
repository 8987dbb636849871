import { describe, expect, it } from '@jest/globals';
import { createSeenIds } from '../../services/projector/rebuild/seen-ids.ts';

describe('the memory of seen event ids', () => {
  it('recognises an id after 100,000 other ids have arrived', () => {
    const seen = createSeenIds();
    const ids = Array.from({ length: 100_000 }, (_none, number) => `east/pod/${number}`);
    expect(ids.filter((id) => seen.add(id))).toHaveLength(ids.length);
    expect(ids.filter((id) => seen.add(id))).toEqual([]);
    expect(seen.add('east/pod/100000')).toBe(true);
  });
});
