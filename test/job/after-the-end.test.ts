import { describe, it } from '@jest/globals';
import { aFailedPod, aJob, aRunningPod, at } from '../support/builders.ts';
import { given } from '../support/given.ts';

const ended = {
  startTime: at(-60),
  completionTime: at(-1),
  succeeded: 1,
  ready: 0,
  terminating: 0,
  conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' })),
};

describe('a Job that has finished', () => {
  it('has its late pods freed, neither counted nor deleted (J-3.13, J-6.37)', () => {
    given(aJob({ status: ended }))
      .and(aFailedPod(), aRunningPod())
      .when(null)
      .thenCommands('~2');
  });

  it('is left alone whatever its spec says now (J-6.37)', () => {
    given(aJob({ status: ended }))
      .and(aRunningPod({ untracked: true }))
      .when(aJob({ status: ended, parallelism: 5, completions: 9, suspend: true, generation: 2 }))
      .thenCommands()
      .thenLookAgain(null);
  });
});
