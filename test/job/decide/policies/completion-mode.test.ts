import { describe, it } from '@jest/globals';
import { aJob, aRunningPod } from '../../../support/builders.ts';
import { given, givenState } from '../../../support/given.ts';

describe('a Job of an unknown completion mode (J-3.50 step 6)', () => {
  const job = given(aJob({ parallelism: 1, completions: 1, completionMode: 'Sideways' }));

  it('is not changed by Jobledger, and gets a warning Event', () => {
    job
      .and(aRunningPod())
      .when(null)
      .thenCommands('event UnknownCompletionMode')
      .thenReports('Warning UnknownCompletionMode: Skipped Job sync because completion mode is unknown')
      .thenWaitsBy('J-3.50', 'the completion mode Sideways is unknown');
  });

  it('gets only one warning Event while the mode is the same', () => {
    const { state, verdict } = job.when(null);
    givenState({ ...state, waiting: verdict.waiting })
      .when(null)
      .thenCommands()
      .thenLookAgain(null);
  });

  it('gets another warning Event when the mode changes to another unknown one', () => {
    const waiting = { rule: 'J-3.50', message: 'the completion mode Upwards is unknown' } as const;
    givenState({ ...job.state, waiting })
      .when(null)
      .thenCommands('event UnknownCompletionMode');
  });
});
