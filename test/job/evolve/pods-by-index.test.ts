import { describe, expect, it } from '@jest/globals';
import { noteIndex, podsOfIndex } from '../../../workflows/job/evolve/pods-by-index.ts';
import { INITIAL_STATE, type JobState } from '../../../workflows/job/state.ts';

/** Pods by uid, each with its index. */
function holding(indexes: Record<string, number | undefined>): JobState {
  const pods = Object.entries(indexes).map(([uid, index]) => [
    uid,
    { created: 0, ...(index !== undefined && { index }) },
  ]);
  return { ...INITIAL_STATE, pods: Object.fromEntries(pods) };
}

describe('the pods of an index', () => {
  it('are those that carry it', () => {
    const state = holding({ a: 1, b: 2, c: 1, d: undefined });
    expect(podsOfIndex(state, 1)).toEqual(['a', 'c']);
    expect(podsOfIndex(state, 2)).toEqual(['b']);
    expect(podsOfIndex(state, 0)).toHaveLength(0);
  });

  it('include later ones, each once', () => {
    const state = holding({ a: 1 });
    noteIndex(state, 'a');
    expect(podsOfIndex(state, 1)).toEqual(['a']);
    state.pods['b'] = { created: 0, index: 1 };
    for (const uid of ['b', 'b', 'nobody']) noteIndex(state, uid);
    expect(podsOfIndex(state, 1)).toEqual(['a', 'b']);
  });

  it('exclude those that are gone, or of another index by now', () => {
    const state = holding({ a: 1, b: 1, c: 1 });
    expect(podsOfIndex(state, 1)).toEqual(['a', 'b', 'c']);
    delete state.pods['a'];
    state.pods['b'] = { created: 0, index: 2 };
    expect(podsOfIndex(state, 1)).toEqual(['c']);
  });
});
