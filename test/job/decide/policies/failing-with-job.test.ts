import { describe, expect, it } from '@jest/globals';
import { jobFacts } from '../../../../workflows/job/observe/compact.ts';
import { podsFailingWith } from '../../../../workflows/job/definitions/failing-with-job.ts';
import { INITIAL_STATE, type JobState, type PodState } from '../../../../workflows/job/state.ts';
import { jobObject, type JobFields } from '../../../support/builders.ts';

const created = 0;
const indexed = { completionMode: 'Indexed', parallelism: 2, completions: 2 };
const exits = [{ container: 'main', code: 3 }];
const ignoring = {
  podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }] },
};

function failing(pod: PodState, fields: { job?: JobFields; state?: Partial<JobState> } = {}): string[] {
  const state = { ...INITIAL_STATE, pods: { it: pod }, ...fields.state };
  const job = jobFacts(jobObject(fields.job));
  return (['Complete', 'Failed'] as const).filter((ending) => podsFailingWith(state, job, ending).length > 0);
}

describe('the pods that count as failed because the Job ends (J-4.5, J-4.17)', () => {
  it.each<{ pod: string; state: PodState; when: string[] }>([
    { pod: 'that runs', state: { created }, when: ['Failed'] },
    { pod: 'that is pending', state: { created, phase: 'Pending' }, when: ['Failed'] },
    { pod: 'that is being deleted', state: { created, deleting: true }, when: ['Failed'] },
    { pod: 'that has succeeded', state: { created, phase: 'Succeeded' }, when: [] },
    { pod: 'that has failed', state: { created, phase: 'Failed' }, when: [] },
    { pod: 'that is counted', state: { created, counted: true }, when: [] },
    { pod: 'without finalizer', state: { created, untracked: true }, when: [] },
    { pod: 'that is not adopted yet', state: { created, claim: 'adopt' }, when: [] },
  ])('include a pod $pod when the Job ends with one of the conditions $when', ({ state, when }) => {
    expect(failing(state)).toEqual(when);
  });

  it('include pods that wait for a replacement, however the Job ends (J-5.50)', () => {
    const pod: PodState = { created, phase: 'Failed', index: 1 };
    const state = { delayed: { 1: 'it' } };
    expect(failing(pod, { job: indexed, state })).toEqual(['Complete', 'Failed']);
  });

  it('exclude pods that already wait to be counted', () => {
    expect(failing({ created }, { state: { uncounted: { succeeded: ['it'], failed: [] } } })).toEqual([]);
    expect(failing({ created }, { state: { uncounted: { succeeded: [], failed: ['it'] } } })).toEqual([]);
  });

  it('exclude pods whose index is not below the completions of the Job', () => {
    expect(failing({ created, index: 1 }, { job: indexed })).toEqual(['Failed']);
    expect(failing({ created, index: 2 }, { job: indexed })).toEqual([]);
  });

  it('exclude pods that the failure policy ignores (J-6.11)', () => {
    expect(failing({ created, exits }, { job: ignoring })).toEqual([]);
    expect(failing({ created }, { job: ignoring })).toEqual(['Failed']);
  });

  it('are in the order in which the state of the Job has them', () => {
    const pods = { b: { created }, a: { created } };
    const found = podsFailingWith({ ...INITIAL_STATE, pods }, jobFacts(jobObject()), 'Failed');
    expect(found).toEqual([
      { uid: 'b', pod: { created } },
      { uid: 'a', pod: { created } },
    ]);
  });
});
