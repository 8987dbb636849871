import { describe, expect, it } from '@jest/globals';
import {
  aFailedPod,
  aJob,
  aPendingPod,
  aPod,
  aRunningPod,
  aTerminatingPod,
  type JobFields,
  podObject,
} from '../../../support/builders.ts';
import { podFacts } from '../../../../workflows/job/observe/compact.ts';
import { given, writtenStatus, type Outcome } from '../../../support/given.ts';

const three = { parallelism: 3, completions: 9 };

function after(job: JobFields, failures: number): Outcome {
  const pods = Array.from({ length: failures }, () => aFailedPod());
  return given(aJob(job))
    .and(...pods)
    .when(null);
}

function failedReason({ verdict }: Outcome): string | undefined {
  return writtenStatus(verdict).conditions?.find(({ type }) => type === 'FailureTarget')?.reason;
}

describe('the limit backoffLimit (J-6.1)', () => {
  it.each([
    { limit: 6, failures: 6, fails: false },
    { limit: 6, failures: 7, fails: true },
    { limit: 0, failures: 1, fails: true },
    { limit: 1, failures: 1, fails: false },
    { limit: 1, failures: 2, fails: true },
  ])(
    'fails the Job when it is $limit and $failures pods have failed: $fails',
    ({ limit, failures, fails }) => {
      expect(failedReason(after({ ...three, backoffLimit: limit }, failures))).toBe(
        fails ? 'BackoffLimitExceeded' : undefined,
      );
    },
  );

  it('fails the Job with the reason BackoffLimitExceeded, and the decision records the number of failed pods', () => {
    const message = 'Job has reached the specified backoff limit';
    after({ ...three, backoffLimit: 1 }, 2)
      .thenStatus({
        conditions: ['FailureTarget', 'Failed'].map((type) => ({ type, status: 'True', message })),
      })
      .thenReports(`Warning BackoffLimitExceeded: ${message}`)
      .thenBecause(
        'J-4.11: counted now: 0 succeeded, 2 failed',
        'J-6.1: 2 failed pods, the limit is 1',
        'J-7.2: the change of the status is reported',
      );
  });

  it('is six when the API server has not set it (J-15.9)', () => {
    const { backoffLimit: _absent, ...withoutLimit } = aJob(three).job.spec;
    const seen = aJob(three);
    const job = { ...seen, job: { ...seen.job, spec: withoutLimit } };
    expect(
      failedReason(
        given(job)
          .and(...failedPods(6))
          .when(null),
      ),
    ).toBeUndefined();
    expect(
      failedReason(
        given(job)
          .and(...failedPods(7))
          .when(null),
      ),
    ).toBe('BackoffLimitExceeded');
  });

  it('is compared with a number that includes the failures in the status', () => {
    expect(failedReason(after({ ...three, backoffLimit: 2, status: { failed: 2 } }, 1))).toBe(
      'BackoffLimitExceeded',
    );
  });

  it('is exceeded by a pod that is being deleted, under TerminatingOrFailed (J-6.2)', () => {
    const job = given(aJob({ ...three, backoffLimit: 0 })).and(aTerminatingPod());
    expect(failedReason(job.when(null))).toBe('BackoffLimitExceeded');
  });

  it('is no upper bound for failed pods, because running pods count as failed when the Job fails (J-6.3)', () => {
    given(aJob({ ...three, backoffLimit: 0 }))
      .and(aFailedPod(), aRunningPod(), aRunningPod())
      .when(null)
      .thenCommands('×2', '~1', 'status', '~2')
      .thenStatus({ failed: 3, terminating: 2 });
  });
});

describe('the restarts of containers (J-6.4)', () => {
  it.each([
    { limit: 6, restarts: [6], fails: true },
    { limit: 6, restarts: [5], fails: false },
    { limit: 1, restarts: [1], fails: true },
    { limit: 0, restarts: [0], fails: false },
    { limit: 0, restarts: [1], fails: true },
    { limit: 2, restarts: [1, 1], fails: true },
    { limit: 3, restarts: [1, 1], fails: false },
    { limit: 1, restarts: [0, 1, 0], fails: true },
  ])('fail the Job with backoffLimit $limit and $restarts restarts: $fails', ({ limit, restarts, fails }) => {
    const pods = restarts.map((count) => aRunningPod({ restarts: count }));
    const job = { ...three, backoffLimit: limit, restartPolicy: 'OnFailure' };
    const outcome = given(aJob(job))
      .and(...pods)
      .when(null);
    expect(failedReason(outcome)).toBe(fails ? 'BackoffLimitExceeded' : undefined);
  });

  it('count for pending and terminating pods, but not for finished pods', () => {
    const job = aJob({
      ...three,
      backoffLimit: 2,
      restartPolicy: 'OnFailure',
      podReplacementPolicy: 'Failed',
    });
    const counted = [aPendingPod({ restarts: 1 }), aTerminatingPod({ restarts: 1 })];
    expect(
      failedReason(
        given(job)
          .and(...counted)
          .when(null),
      ),
    ).toBe('BackoffLimitExceeded');
    expect(
      failedReason(
        given(job)
          .and(aFailedPod({ restarts: 9 }))
          .when(null),
      ),
    ).toBeUndefined();
  });

  it('do not count for a pod in the phase Unknown', () => {
    const job = given(aJob({ ...three, backoffLimit: 2, restartPolicy: 'OnFailure' }));
    expect(failedReason(job.and(aPod({ phase: 'Unknown', restarts: 9 })).when(null))).toBeUndefined();
  });

  it('are recorded, with the limit, as the reason why the Job fails', () => {
    given(aJob({ ...three, backoffLimit: 2, restartPolicy: 'OnFailure' }))
      .and(aRunningPod({ restarts: 2 }))
      .when(null)
      .thenBecause(
        'J-6.4: 2 container restarts, the limit is 2',
        'J-6.4: 2 container restarts, the limit is 2',
        'J-4.5: the Job ends',
      );
  });

  it('include the restarts of init containers and sidecars (B-29)', () => {
    const pod = podObject();
    const status = {
      ...pod.status,
      containerStatuses: [{ name: 'main', restartCount: 1 }],
      initContainerStatuses: [{ name: 'sidecar', restartCount: 2 }],
    };
    expect(podFacts({ ...pod, status }).restarts).toBe(3);
  });

  it('do not count under restartPolicy Never', () => {
    expect(
      failedReason(
        given(aJob({ ...three, backoffLimit: 0 }))
          .and(aRunningPod({ restarts: 3 }))
          .when(null),
      ),
    ).toBe(undefined);
  });
});

function failedPods(count: number): ReturnType<typeof aFailedPod>[] {
  return Array.from({ length: count }, () => aFailedPod());
}
