import { describe, expect, it } from '@jest/globals';
import { aFailedPod, aJob, aSucceededPod, at, type JobFields } from '../../../support/builders.ts';
import { given, type Given } from '../../../support/given.ts';

const annotations = { 'jobledger.dev/start-and-finish-events': 'true' };
const running = { startTime: at(0), active: 1, ready: 0, terminating: 0 };

function aJobWith(fields: JobFields): Given {
  return given(aJob({ parallelism: 1, completions: 1, annotations, ...fields }));
}

describe('a Job with jobledger.dev/start-and-finish-events (J-12.6)', () => {
  it('gets the Event JobStart after the status with its start time', () => {
    const first = aJobWith({}).when(null);
    first.thenCommands('+1', 'status', 'event JobStart').thenReports('Normal JobStart: Job started');
    expect(first.verdict.commands.at(-1)?.why.rule).toBe('J-12.6');
  });

  it('gets no Event while it is suspended, and JobStart when it is resumed', () => {
    const suspended = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' };
    const status = { conditions: [suspended], ready: 0, terminating: 0 };
    aJobWith({ suspend: true }).when(null).thenReports('Normal Suspended: Job suspended');
    aJobWith({ status })
      .when(null)
      .thenReports('Normal Resumed: Job resumed', 'Normal JobStart: Job started');
  });

  it('gets the Event JobFinish after the Event of its completion', () => {
    aJobWith({ status: running })
      .and(aSucceededPod())
      .when(null)
      .thenReports('Normal Completed: Job completed', 'Normal JobFinish: Job finished: Complete');
  });

  it('gets the Event JobFinish after the Event of its failure', () => {
    aJobWith({ status: running, backoffLimit: 0 })
      .and(aFailedPod())
      .when(null)
      .thenReports(
        'Warning BackoffLimitExceeded: Job has reached the specified backoff limit',
        'Normal JobFinish: Job finished: Failed',
      );
  });

  it('gets neither Event between start and end, and a Job without the annotation gets none at its start', () => {
    aJobWith({ status: running, completions: 2 }).and(aSucceededPod()).when(null).thenReports();
    aJobWith({ annotations: {} }).when(null).thenReports();
  });
});
