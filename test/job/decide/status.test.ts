import { describe, expect, it } from '@jest/globals';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  jobObject,
  START,
} from '../../support/builders.ts';
import { given, givenState, writtenStatus, type Outcome } from '../../support/given.ts';
import type { JobStatus } from '../../../workflows/kubernetes/objects.ts';
import { objectionsTo } from '../../support/model-cluster-status.ts';

const two = { parallelism: 2, completions: 4 };

describe('the fields of the status (J-1.22, J-1.26)', () => {
  it('equal the fields of the built-in controller after the first sync', () => {
    const { verdict } = given(aJob(two)).when(null);
    expect(writtenStatus(verdict)).toEqual({
      startTime: at(0),
      active: 2,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
  });

  it('omit counters of zero, except ready and terminating', () => {
    const { verdict } = given(aJob({ ...two, parallelism: 0 })).when(null);
    expect(Object.keys(writtenStatus(verdict)).toSorted()).toEqual([
      'ready',
      'startTime',
      'terminating',
      'uncountedTerminatedPods',
    ]);
  });

  it('include the completion time of a complete Job, which is not before its start', () => {
    const job = {
      parallelism: 1,
      completions: 1,
      status: { startTime: at(5), active: 1, ready: 0, terminating: 0 },
    };
    const { verdict } = given(aJob(job)).and(aSucceededPod()).when(null, { after: 3 });
    expect(writtenStatus(verdict)).toMatchObject({ startTime: at(5), completionTime: at(5) });
    expect(objectionsTo(jobObject(job), writtenStatus(verdict))).toEqual([]);
  });

  it('include the start of a failed Job, but no completion time (J-6.35)', () => {
    const { verdict } = given(aJob({ ...two, backoffLimit: 0, status: { startTime: at(-9) } }))
      .and(aFailedPod())
      .when(null);
    expect(writtenStatus(verdict)).toMatchObject({ startTime: at(-9) });
    expect(writtenStatus(verdict)).not.toHaveProperty('completionTime');
  });
});

describe('the command to write the status of a Job', () => {
  it('is not sent for a start time alone (B-9)', () => {
    given(aJob({ ...two, parallelism: 0, status: { ready: 0, terminating: 0 } }))
      .when(null)
      .thenCommands();
  });

  it('is not sent when nothing in the status changes', () => {
    given(aJob({ ...two, status: { startTime: at(0), active: 2, ready: 1, terminating: 0 } }))
      .and(aRunningPod(), aRunningPod({ readySince: 1 }))
      .when(null)
      .thenCommands();
  });

  it('counts a pod that is being deleted as terminating, not as active', () => {
    given(
      aJob({
        ...two,
        status: { startTime: at(0), active: 2, ready: 0, terminating: 0 },
        podReplacementPolicy: 'Failed',
      }),
    )
      .and(aRunningPod(), aTerminatingPod())
      .when(null)
      .thenStatus({ active: 1, terminating: 1 });
  });

  it('counts a limited number of pods, and does not complete the Job before all pods are counted (J-4.7)', () => {
    const job = given(aJob({ parallelism: 1, completions: 3 })).and(
      aSucceededPod(),
      aSucceededPod(),
      aSucceededPod(),
    );
    const { verdict } = job
      .under({ maxUncountedPods: 2 })
      .when(null)
      .thenCommands('~2', 'status')
      .thenStatus({ succeeded: 2 });
    expect(writtenStatus(verdict).conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet']);
  });

  it('counts as many pods that fail with the Job as the limit allows (J-4.5, J-4.7)', () => {
    given(aJob({ parallelism: 9, completions: 9, backoffLimit: 0 }))
      .and(aFailedPod(), aRunningPod(), aRunningPod(), aRunningPod())
      .under({ maxUncountedPods: 2 })
      .when(null)
      .thenCommands('×3', '~1', 'status', '~1')
      .thenStatus({ failed: 2, terminating: 3 });
  });

  it('counts finished pods before pods that fail with the Job (J-4.7)', () => {
    given(aJob({ parallelism: 9, completions: 9, backoffLimit: 0 }))
      .and(aSucceededPod(), aFailedPod(), aRunningPod())
      .under({ maxUncountedPods: 2 })
      .when(null)
      .thenCommands('×1', '~2', 'status')
      .thenStatus({ succeeded: 1, failed: 1, terminating: 1 });
  });

  it('does not set the condition Failed before all failures are counted (J-4.7)', () => {
    const { verdict } = given(aJob({ parallelism: 1, completions: 3, backoffLimit: 0 }))
      .and(aFailedPod(), aFailedPod(), aFailedPod())
      .under({ maxUncountedPods: 2 })
      .when(null)
      .thenCommands('~2', 'status')
      .thenStatus({ failed: 2 });
    expect(writtenStatus(verdict).conditions?.map(({ type }) => type)).toEqual(['FailureTarget']);
  });

  it('does not set the condition Failed before failed pods that wait for a replacement are counted (J-5.50)', () => {
    const job = { completionMode: 'Indexed', parallelism: 3, completions: 3, backoffLimitPerIndex: 9 };
    const { verdict } = given(aJob({ ...job, backoffLimit: 2 }))
      .and(aFailedPod({ index: 0 }), aFailedPod({ index: 1 }), aFailedPod({ index: 2 }))
      .under({ maxUncountedPods: 2 })
      .when(null)
      .thenCommands('~2', 'status')
      .thenStatus({ failed: 2 });
    expect(writtenStatus(verdict).conditions?.map(({ type }) => type)).toEqual(['FailureTarget']);
  });

  it('clears the uncountedTerminatedPods of the built-in controller, even if no counter changes (J-4.3)', () => {
    const status = {
      startTime: at(0),
      active: 1,
      ready: 0,
      terminating: 0,
      succeeded: 1,
      completedIndexes: '0',
    };
    const uncounted = { ...status, uncountedTerminatedPods: { succeeded: ['u'] } };
    const job = { completionMode: 'Indexed', parallelism: 1, completions: 2 };
    const after = (stored: JobStatus): Outcome =>
      given(aJob({ ...job, status: stored }))
        .and(aRunningPod({ index: 1 }))
        .when(null);
    after(status).thenCommands();
    after({ ...status, uncountedTerminatedPods: { failed: [] } }).thenCommands();
    after({ ...status, uncountedTerminatedPods: { succeeded: [] } }).thenCommands();
    after(uncounted).thenCommands('status').thenStatus({ succeeded: 1, uncountedTerminatedPods: {} });
  });

  it('has as its reason the pods that it counts, or else what changed', () => {
    const status = { startTime: at(0), active: 2, ready: 0, terminating: 0 };
    given(aJob({ ...two, status: { ...status, active: 1 } }))
      .and(aRunningPod(), aRunningPod())
      .when(null)
      .thenBecause('J-3.50: active, ready, terminating or a condition changed');
    given(aJob({ ...two, status }))
      .and(aRunningPod(), aSucceededPod({ finished: 2 }), aFailedPod({ finished: 1 }))
      .when(null, { after: 3 })
      .thenCommands('+1', '~2', 'status')
      .thenBecause(
        'J-5.13: 1 missing: 2 wanted, 1 active, 1 succeeded',
        'J-4.11: counted now: 1 succeeded, 1 failed',
        'J-4.11: counted now: 1 succeeded, 1 failed',
      );
  });

  it('waits after a refusal by the API, and pods are still created during the wait (J-3.2)', () => {
    const { state } = given(aJob({ ...two, status: { startTime: at(0), active: 1 } })).and(aSucceededPod());
    givenState({ ...state, retries: { WriteStatus: { errors: 1, until: START + 4000, message: 'no' } } })
      .when(null)
      .thenCommands('+2')
      .thenLookAgain(4)
      .thenWaitsBy(
        'J-3.2',
        'no WriteStatus before 2026-03-01T12:00:04.000Z: 1 error of the API, the last: no',
      );
  });

  it('does not wait for a pod whose release is refused (J-3.2)', () => {
    const [refused, other] = [aSucceededPod(), aSucceededPod()];
    const { state } = given(aJob({ ...two, status: { startTime: at(0), active: 1 } })).and(refused, other);
    const pod = state.pods[refused.pod.uid] ?? { created: 0 };
    givenState({
      ...state,
      pods: { ...state.pods, [refused.pod.uid]: { ...pod, refused: true } },
      retries: { ReleasePods: { errors: 1, until: START + 4000, message: 'no' } },
    })
      .when(null)
      .thenCommands('+2', '~1', 'status')
      .thenStatus({ succeeded: 1 })
      .thenLookAgain(4);
  });

  it('delays nothing after a refusal when there is no change to write any more', () => {
    const { state } = given(
      aJob({ ...two, status: { startTime: at(0), active: 2, ready: 0, terminating: 0 } }),
    ).and(aRunningPod(), aRunningPod());
    givenState({ ...state, retries: { WriteStatus: { errors: 1, until: START + 4000, message: 'no' } } })
      .when(null)
      .thenCommands()
      .thenLookAgain(null);
  });

  it('is followed by a Warning when more pods have succeeded than spec.completions (J-6.33, B-17)', () => {
    const pods = [aSucceededPod(), aSucceededPod()];
    given(aJob({ parallelism: 1, completions: 1 }))
      .and(...pods)
      .when(null)
      .thenCommands('~2', 'status', 'event TooManySucceededPods, Completed')
      .thenReports(
        'Warning TooManySucceededPods: Too many succeeded pods running after completion count reached',
        'Normal Completed: Job completed',
      );
    for (const job of [{ parallelism: 2 }, { parallelism: 2, completions: 2 }])
      given(aJob(job))
        .and(...pods)
        .when(null)
        .thenReports('Normal Completed: Job completed');
  });
});
