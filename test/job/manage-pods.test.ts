import { describe, it } from '@jest/globals';
import { aFailedPod, aJob, aRunningPod, at } from '../support/builders.ts';
import { given } from '../support/given.ts';

const running = { startTime: at(-60), ready: 0, terminating: 0 };

describe('how many pods one sync creates', () => {
  it('no more than 500; the rest after those (J-5.15)', () => {
    given(aJob({ parallelism: 600, completions: 600 }))
      .when(null)
      .thenCommands('+500', 'status')
      .thenStatus({ active: 500 });
    const pods = Array.from({ length: 500 }, () => aRunningPod());
    given(aJob({ parallelism: 600, completions: 600, status: { ...running, active: 500 } }))
      .and(...pods)
      .when(null)
      .thenCommands('+100', 'status');
  });

  it('as many as parallelism says now; 0 pauses the Job (J-5.35)', () => {
    const job = aJob({ parallelism: 1, completions: 9, status: { ...running, active: 1 } });
    const begun = given(job).and(aRunningPod({ ready: false }));
    begun
      .when(aJob({ parallelism: 3, completions: 9, generation: 2, status: { ...running, active: 1 } }))
      .thenCommands('+2', 'status');
    begun
      .when(aJob({ parallelism: 0, completions: 9, generation: 2, status: { ...running, active: 1 } }))
      .thenCommands('-1', 'status')
      .thenStatus({ terminating: 1 });
  });

  it('none during the delay, also of those that never ran; surplus is deleted all the same (J-5.43)', () => {
    const failed = aFailedPod({ finished: 0 });
    given(aJob({ parallelism: 3, completions: 9, status: running }))
      .and(failed, aRunningPod())
      .when(null)
      .thenCommands('~1', 'status')
      .thenLookAgain(10);
    given(aJob({ parallelism: 1, completions: 9, status: running }))
      .and(failed, aRunningPod(), aRunningPod())
      .when(null)
      .thenCommands('-1', '~1', 'status');
  });
});
