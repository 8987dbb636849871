import { describe, expect, it } from '@jest/globals';
import {
  toDraft,
  finishedIndexes,
  podsOfIndex,
  putPod,
  toState,
  type Draft,
} from '../../../workflows/job/evolve/draft.ts';
import { INITIAL_STATE } from '../../../workflows/job/state.ts';
import { aJob } from '../../support/builders.ts';

/** Pods by UID, each with its index. */
function draftWith(indexes: Record<string, number | undefined>): Draft {
  const pods = Object.entries(indexes).map(([uid, index]) => [
    uid,
    { created: 0, ...(index !== undefined && { index }) },
  ]);
  return toDraft({ ...INITIAL_STATE, pods: Object.fromEntries(pods) });
}

describe('the pods of an index in the state', () => {
  it('are exactly the pods with that index', () => {
    const draft = draftWith({ a: 1, b: 2, c: 1, d: undefined });
    expect(podsOfIndex(draft, 1)).toEqual(['a', 'c']);
    expect(podsOfIndex(draft, 2)).toEqual(['b']);
    expect(podsOfIndex(draft, 0)).toHaveLength(0);
  });

  it('include pods that are added later, each once', () => {
    const draft = draftWith({ a: 1 });
    expect(podsOfIndex(draft, 1)).toEqual(['a']);
    for (const uid of ['b', 'b']) putPod(draft, uid, { created: 0, index: 1 });
    putPod(draft, 'c', { created: 0 });
    expect(podsOfIndex(draft, 1)).toEqual(['a', 'b']);
  });

  it('exclude a pod that was removed, or that has another index now', () => {
    const draft = draftWith({ a: 1, b: 1, c: 1 });
    expect(podsOfIndex(draft, 1)).toEqual(['a', 'b', 'c']);
    delete draft.pods['a'];
    putPod(draft, 'b', { created: 0, index: 2 });
    expect(podsOfIndex(draft, 1)).toEqual(['c']);
  });
});

describe('the finished indexes in the state', () => {
  const jobWith = (completedIndexes: string, failedIndexes = '') =>
    aJob({ completionMode: 'Indexed', completions: 5, status: { completedIndexes, failedIndexes } }).job;

  it('are read from the status of the Job, without indexes beyond its completions (J-1.32)', () => {
    const draft = draftWith({});
    expect(finishedIndexes(draft, jobWith('0-2,7', '3'))).toEqual({ completed: [[0, 2]], failed: [[3, 3]] });
    expect(finishedIndexes(draft, jobWith('4'))).toEqual({ completed: [[4, 4]], failed: [] });
  });
});

it('the stored state of a Job has no field that was only derived for folding', () => {
  expect(Object.keys(toState(draftWith({ a: 1 })))).toStrictEqual(Object.keys(INITIAL_STATE));
});
