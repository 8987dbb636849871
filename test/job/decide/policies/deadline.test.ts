import { describe, it } from '@jest/globals';
import { aJob, aRunningPod, at } from '../../../support/builders.ts';
import { given } from '../../../support/given.ts';

const running = { startTime: at(0), active: 1, ready: 0, terminating: 0 };
const tenSeconds = { parallelism: 1, completions: 1, activeDeadlineSeconds: 10 };

describe('a Job with activeDeadlineSeconds (J-6.5)', () => {
  it('is checked again at the instant of the deadline, and not before (J-3.53)', () => {
    const job = given(aJob({ ...tenSeconds, status: running })).and(aRunningPod());
    job.when(null, { after: 9.999 }).thenCommands().thenLookAgain(10);
    job.when(null, { after: 10 }).thenCommands('×1', 'status', '~1');
  });

  it('fails on its first sync when the deadline is zero (J-1.12)', () => {
    given(aJob({ ...tenSeconds, activeDeadlineSeconds: 0 }))
      .when(null)
      .thenCommands('status', 'event DeadlineExceeded')
      .thenStatus({ startTime: at(0) });
  });

  it('counts its deadline, when it is new, from the second in which it started (J-0.5)', () => {
    given(aJob(tenSeconds)).when(null, { after: 0.9 }).thenCommands('+1', 'status').thenLookAgain(10);
  });

  it('has no deadline while suspended', () => {
    const suspended = [
      { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' },
    ];
    given(aJob({ ...tenSeconds, suspend: true, status: { ready: 0, terminating: 0, conditions: suspended } }))
      .when(null, { after: 99 })
      .thenCommands()
      .thenLookAgain(null);
  });

  it('has no deadline while it is being suspended, though its start time is still set', () => {
    given(aJob({ ...tenSeconds, suspend: true, deleting: true, status: running }))
      .and(aRunningPod())
      .when(null, { after: 99 })
      .thenCommands('~1')
      .thenLookAgain(null);
  });

  it('fails with the reason DeadlineExceeded in its conditions and in an Event', () => {
    const message = 'Job was active longer than specified deadline';
    given(aJob({ ...tenSeconds, status: running }))
      .when(null, { after: 11 })
      .thenStatus({
        conditions: [
          { type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded', message },
          { type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message },
        ],
      })
      .thenReports(`Warning DeadlineExceeded: ${message}`)
      .thenBecause(
        'J-6.5: the deadline passed at 2026-03-01T12:00:10.000Z',
        'J-7.2: the change of the status is reported',
      );
  });

  it('has the later deadline when activeDeadlineSeconds is raised', () => {
    given(aJob({ ...tenSeconds, status: running }))
      .and(aRunningPod(), aJob({ ...tenSeconds, activeDeadlineSeconds: 30, generation: 2, status: running }))
      .when(null, { after: 15 })
      .thenCommands()
      .thenLookAgain(30);
  });
});
