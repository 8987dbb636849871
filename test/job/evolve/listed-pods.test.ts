import { describe, expect, it } from '@jest/globals';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import type { Compacted } from '../../../workflows/job/observe/compact.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import { INITIAL_STATE } from '../../../workflows/job/state.ts';
import { aJob, aPod, podDeletion, type PodFields, type PodSeen } from '../../support/builders.ts';

const job = aJob({ parallelism: 2, completions: 4, version: '100' });

/** As found by a list of this version. */
function listed(listedAt: string, fields: PodFields): PodSeen {
  const seen = aPod(fields);
  return { ...seen, id: `${seen.id}/listed/${listedAt}`, pod: { ...seen.pod, listedAt } };
}

const after = (...facts: Compacted[]): JobState => fold(INITIAL_STATE, [job, ...facts]);
const phases = ({ pods }: JobState): unknown =>
  Object.fromEntries(Object.entries(pods).map(([uid, { phase = 'Running' }]) => [uid, phase]));

const running = aPod({ name: 'a', version: '110', phase: 'Running' });
const newest = aPod({ name: 'b', version: '150', phase: 'Running' });

describe('a fact that a list finds after the watch missed it', () => {
  const missed = listed('200', { name: 'a', version: '120', phase: 'Failed' });

  it('is folded, although another pod of the Job was observed in a newer version', () => {
    expect(phases(after(running, newest, missed))).toEqual({ 'uid-of-a': 'Failed', 'uid-of-b': 'Running' });
  });

  it('is folded for each pod of the list, and changes nothing when it is repeated', () => {
    const other = listed('200', { name: 'b', version: '130', phase: 'Succeeded' });
    const state = after(running, aPod({ name: 'b', version: '115' }), newest, missed, other);
    expect(phases(state)).toEqual({ 'uid-of-a': 'Failed', 'uid-of-b': 'Succeeded' });
    expect(fold(state, [missed, other, running, newest])).toEqual(state);
  });

  it('is folded for a pod whose end the watch showed in exactly the list’s version', () => {
    const atList = aPod({ name: 'b', version: '200', phase: 'Succeeded' });
    const state = after(running, atList, missed);
    expect(phases(state)).toEqual({ 'uid-of-a': 'Failed', 'uid-of-b': 'Succeeded' });
    expect(fold(state, [atList, missed])).toEqual(state);
  });

  it('changes nothing after a newer fact about the pod, so that a deleted pod does not return', () => {
    const state = after(running, missed, podDeletion(running, { version: '210' }));
    expect(fold(state, [missed])).toEqual(state);
  });

  it('changes nothing when its list is older than the list that was folded last', () => {
    const state = after(running, missed);
    expect(fold(state, [listed('190', { name: 'a', version: '110', phase: 'Running' })])).toEqual(state);
  });
});
