import { describe, expect, it } from '@jest/globals';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  type JobFields,
} from '../../support/builders.ts';
import { given, givenState, writtenStatus } from '../../support/given.ts';

const started = { startTime: at(-60), ready: 0, terminating: 0 };
const failing = { type: 'FailureTarget', status: 'True', reason: 'x', message: 'm' };
const succeeding = { type: 'SuccessCriteriaMet', status: 'True', reason: 'y', message: 'n' };
const four = { parallelism: 4, completions: 9 };

/** With the interim condition set. */
function ending(conditions: { type: string; status: string }[], fields: JobFields = {}): JobFields {
  return { ...four, status: { ...started, conditions }, ...fields };
}

describe('an interim condition that is set (J-3.52, J-3.54)', () => {
  it('ends the Job with its reason and message (J-6.34)', () => {
    given(aJob(ending([failing])))
      .when(null)
      .thenStatus({ conditions: [failing, { ...failing, type: 'Failed' }] })
      .thenReports('Warning x: m')
      .thenBecause('J-3.52: FailureTarget stands: m', 'J-7.2: the change of the status is reported');
  });

  it('retains its times and its text (J-6.13)', () => {
    const stored = { ...failing, lastProbeTime: at(-5), lastTransitionTime: at(-5) };
    const { verdict } = given(aJob(ending([stored]))).when(null);
    expect(writtenStatus(verdict).conditions?.[0]).toEqual(stored);
    expect(writtenStatus(verdict).conditions?.[1]).toMatchObject({
      type: 'Failed',
      lastTransitionTime: at(0),
    });
  });

  it('takes precedence over an interim condition of failure when it is a condition of success', () => {
    given(aJob(ending([failing, succeeding])))
      .when(null)
      .thenStatus({ conditions: [failing, succeeding, { ...succeeding, type: 'Complete' }] })
      .thenReports('Normal Completed: Job completed')
      .thenBecause('J-3.52: SuccessCriteriaMet stands: n', 'J-7.2: the change of the status is reported');
  });

  it('ends the Job also when it has neither reason nor message', () => {
    const { verdict } = given(aJob(ending([{ type: 'FailureTarget', status: 'True' }]))).when(null);
    expect(writtenStatus(verdict).conditions?.[1]).toMatchObject({ type: 'Failed', reason: '', message: '' });
  });
});

describe('the pods of a Job that ends (J-3.57)', () => {
  it('are all deleted, and then count as neither active nor ready', () => {
    const { verdict } = given(aJob(ending([failing])))
      .and(aRunningPod({ readySince: 1 }), aRunningPod(), aRunningPod())
      .under({ maxPodsPerSync: 1 })
      .when(null)
      .thenStatus({ ready: 0, terminating: 3 });
    expect(writtenStatus(verdict)).not.toHaveProperty('active');
    expect(verdict.commands[0]).toMatchObject({ kind: 'DeletePods', untrack: false });
  });

  it('are not deleted again when they are terminating', () => {
    given(aJob(ending([succeeding], { podReplacementPolicy: 'Failed' })))
      .and(aTerminatingPod())
      .when(null)
      .thenCommands('status', '~1')
      .thenStatus({ terminating: 1 })
      .thenWaitsBy('J-6.39', 'the Job ends when its terminating pods are gone');
  });

  it('are awaited before the Job ends: no deadline applies, and the Job ends when the pods are deleted (J-6.39)', () => {
    const job = ending([failing], { activeDeadlineSeconds: 600 });
    given(aJob(job))
      .and(aTerminatingPod({ untracked: true }))
      .when(null)
      .thenLookAgain(null)
      .thenWaitsBy('J-6.39');
    given(aJob(job)).when(null).thenLookAgain(null).thenWaitsBy(null);
    given(aJob({ ...four, podReplacementPolicy: 'Failed', status: started }))
      .and(aTerminatingPod())
      .when(null)
      .thenWaitsBy(null);
  });

  it('are not counted when the Job succeeds (J-4.5), except pods that have lost their finalizer', () => {
    given(aJob(ending([succeeding])))
      .and(aRunningPod({ name: 'a' }), aRunningPod({ untracked: true }))
      .when(null)
      .thenCommands('×2', 'status', '~1')
      .thenBecause(
        'J-3.52: SuccessCriteriaMet stands: n',
        'J-3.52: SuccessCriteriaMet stands: n',
        'J-4.5: the Job ends',
      );
  });

  it('are all released by one command when a deletion counts as a failure (J-4.19)', () => {
    given(aJob(ending([succeeding])))
      .and(aTerminatingPod(), aSucceededPod(), aFailedPod())
      .when(null)
      .thenCommands('~3', 'status')
      .thenStatus({ succeeded: 1, failed: 2 });
  });
});

describe('a terminating pod that counts as failed (J-4.19)', () => {
  it('retains its finalizer until it is counted, also when the Job ends first (J-4.7)', () => {
    given(aJob(ending([succeeding])))
      .and(aSucceededPod(), aTerminatingPod())
      .under({ maxUncountedPods: 1 })
      .when(null)
      .thenCommands('~1', 'status')
      .thenStatus({ succeeded: 1 });
  });
});

describe('a Job that ends while the API refuses deletions (J-3.2, B-5)', () => {
  const refused = { DeletePods: { errors: 1, until: Date.parse(at(5)), message: 'no' } };

  it('continues to count its pods, and does not end yet (B-6)', () => {
    const { state } = given(aJob({ ...four, backoffLimit: 0, status: started })).and(
      aRunningPod({ readySince: 1 }),
      aTerminatingPod({ phase: 'Failed' }),
    );
    const { verdict } = givenState({ ...state, retries: refused })
      .when(null)
      .thenCommands('~1', 'status')
      .thenStatus({ active: 1, ready: 1, terminating: 0, failed: 1 })
      .thenLookAgain(5)
      .thenWaitsBy(
        'J-3.2',
        'no DeletePods before 2026-03-01T12:00:05.000Z: 1 error of the API, the last: no',
      );
    expect(writtenStatus(verdict)).not.toHaveProperty('conditions');
  });

  it('is not suspended before its end (J-6.48)', () => {
    const job = { ...four, backoffLimit: 0, suspend: true, status: started };
    const { state } = given(aJob(job)).and(aRunningPod(), aFailedPod());
    const { verdict } = givenState({ ...state, retries: refused })
      .when(null)
      .thenCommands('~1', 'status');
    expect(writtenStatus(verdict)).not.toHaveProperty('conditions');
  });

  it('ends when no pod remains to be deleted', () => {
    const { state } = given(aJob({ ...four, backoffLimit: 0, status: started })).and(aFailedPod());
    givenState({ ...state, retries: refused })
      .when(null)
      .thenReports('Warning BackoffLimitExceeded: Job has reached the specified backoff limit');
  });

  it('does not delete pods that are already terminating', () => {
    const job = { ...four, backoffLimit: 0, podReplacementPolicy: 'Failed', status: started };
    const { state } = given(aJob(job)).and(aFailedPod(), aRunningPod(), aTerminatingPod());
    givenState({ ...state, retries: refused })
      .when(null)
      .thenStatus({ active: 1, terminating: 1 });
  });
});
