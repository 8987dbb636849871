import { describe, expect, it } from '@jest/globals';
import { outlasts } from '../../../../workflows/job/definitions/per-index.ts';
import { fold } from '../../../../workflows/job/evolve/evolve.ts';
import { jobUrgency } from '../../../../workflows/job/observe/urgency.ts';
import type { PodState } from '../../../../workflows/job/state.ts';
import type { Verdict } from '../../../../workflows/job/decide/verdict.ts';
import {
  aFailedPod,
  aJob,
  aPendingPod,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  podDeletion,
  jobDeleted,
  nextVersion,
  type JobFields,
  type PodFields,
} from '../../../support/builders.ts';
import { creationsIn, given, writtenStatus, type Given } from '../../../support/given.ts';

const running = { startTime: at(-60), ready: 0, terminating: 0, failedIndexes: '' };
const job: JobFields = {
  completionMode: 'Indexed',
  parallelism: 2,
  completions: 2,
  backoffLimitPerIndex: 3,
  backoffLimit: 100,
  status: running,
};
const failedFirst = { index: 0, failureCount: 0 };
const ignoring = {
  podReplacementPolicy: 'Failed',
  podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }] },
};

function createdAnnotations(verdict: Verdict, index: number): Record<string, string> | undefined {
  return creationsIn(verdict).find((pod) => pod.index === index)?.annotations;
}

const COUNT = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count';

describe('the failure counts annotated on a new pod (J-5.7)', () => {
  it('are zero for counted failures, and absent for ignored failures, when no pod has failed', () => {
    const { verdict } = given(aJob(job)).when(null);
    expect(createdAnnotations(verdict, 0)).toEqual({ [COUNT]: '0' });
  });

  it('are one counted failure more than on the replaced pod', () => {
    const { verdict } = given(aJob(job))
      .and(aFailedPod({ index: 0, failureCount: 1, ignoredFailureCount: 2 }))
      .when(null);
    expect(createdAnnotations(verdict, 0)).toEqual({ [COUNT]: '2', [IGNORED]: '2' });
  });

  it('are one ignored failure more than on the replaced pod when the failure policy ignores the failure', () => {
    const failed = aFailedPod({ index: 0, failureCount: 1, exits: { main: 3 } });
    const { verdict } = given(aJob({ ...job, ...ignoring }))
      .and(failed)
      .when(null);
    expect(createdAnnotations(verdict, 0)).toEqual({ [COUNT]: '1', [IGNORED]: '1' });
  });

  it('are absent in a Job without backoffLimitPerIndex', () => {
    const { backoffLimitPerIndex: _none, ...plain } = job;
    const { verdict } = given(aJob(plain)).when(null);
    expect(creationsIn(verdict).map(({ annotations }) => annotations)).toEqual([undefined, undefined]);
  });
});

describe('the delay of an index (J-5.44)', () => {
  it('grows with all failures of the index, counted and ignored', () => {
    given(aJob(job))
      .and(
        aRunningPod({ index: 1 }),
        aFailedPod({ index: 0, failureCount: 1, ignoredFailureCount: 1, finished: 0 }),
      )
      .when(null)
      .thenLookAgain(40)
      .thenWaitsBy('J-5.44');
  });

  it('delays no other index, and the index retains its position in the order (J-5.17)', () => {
    const { verdict } = given(aJob({ ...job, completions: 5 }))
      .and(aFailedPod({ ...failedFirst, finished: 0 }))
      .when(null);
    expect(creationsIn(verdict).map(({ index }) => index)).toEqual([1]);
  });
});

describe('a failed pod that waits for its replacement (J-5.50)', () => {
  const waiting = given(aJob(job)).and(aRunningPod({ index: 1 }), aFailedPod(failedFirst));

  it('is neither counted nor released', () => {
    const { verdict } = waiting.when(null).thenCommands('+1', 'status');
    expect(writtenStatus(verdict)).not.toHaveProperty('failed');
  });

  it('is counted and released when the replacement is observed', () => {
    waiting
      .and(aPendingPod({ index: 0, failureCount: 1 }))
      .when(null)
      .thenCommands('~1', 'status')
      .thenStatus({ failed: 1, active: 2, failedIndexes: '' });
  });

  it('is counted and released when its index is completed (J-3.56)', () => {
    waiting
      .and(aSucceededPod({ index: 0 }))
      .when(null)
      .thenCommands('~2', 'status')
      .thenStatus({ failed: 1, succeeded: 1, completedIndexes: '0' });
  });

  it('is counted and released when the Job is being deleted', () => {
    waiting
      .when(aJob({ ...job, deleting: true }))
      .thenCommands('~2', 'status')
      .thenStatus({ failed: 1 });
  });

  it('is counted when another client removed its finalizer', () => {
    const [other, failed] = [aRunningPod({ index: 1 }), aFailedPod(failedFirst)];
    const lost = given(aJob(job)).and(other, failed, podDeletion(failed));
    lost.when(null).thenCommands('+1', 'status').thenStatus({ failed: 1 });
  });

  it('is released uncounted when its index is not part of the Job any more', () => {
    const { verdict } = given(aJob({ ...job, generation: 1 }))
      .and(aRunningPod({ index: 0 }), aFailedPod({ index: 1 }))
      .when(aJob({ ...job, generation: 2, parallelism: 1, completions: 1 }))
      .thenCommands('~1', 'status');
    expect(writtenStatus(verdict)).not.toHaveProperty('failed');
  });

  it('is, of two failed pods of the index, the one with more annotated failures', () => {
    const { verdict } = waiting.and(aFailedPod({ index: 0, failureCount: 1 })).when(null);
    expect(createdAnnotations(verdict, 0)).toEqual({ [COUNT]: '2' });
    expect(writtenStatus(verdict)).toMatchObject({ failed: 1 });
  });

  it('is not a pod that is only being deleted, which counts as succeeded when it then succeeds', () => {
    const name = 'late';
    given(aJob(job))
      .and(aRunningPod({ index: 1 }), aTerminatingPod({ name, index: 0 }))
      .when(aSucceededPod({ name, index: 0, deleted: -3600 }))
      .thenStatus({ succeeded: 1, completedIndexes: '0', active: 1 });
  });

  it('is released when the Job does not exist any more', () => {
    waiting.when(jobDeleted()).thenCommands('~2');
  });

  it('is released and not counted when the failure policy ignores its failure', () => {
    const { verdict } = given(aJob({ ...job, ...ignoring }))
      .and(aRunningPod({ index: 1 }), aFailedPod({ index: 0, exits: { main: 3 } }))
      .when(aRunningPod({ index: 0, ignoredFailureCount: 1 }))
      .thenCommands('~1', 'status');
    expect(writtenStatus(verdict)).not.toHaveProperty('failed');
  });
});

describe('the failure of an index (J-5.52)', () => {
  const limit = { backoffLimitPerIndex: 1 };
  const rule = (action: string) => ({
    podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [3] } }] },
  });

  it.each<{ when: string; fields: JobFields; pod: PodFields; failed: string }>([
    { when: 'the limit is reached', fields: limit, pod: { failureCount: 1 }, failed: '0' },
    { when: 'the limit is not reached', fields: limit, pod: {}, failed: '' },
    { when: 'the policy says FailIndex', fields: { ...limit, ...rule('FailIndex') }, pod: {}, failed: '0' },
    {
      when: 'the policy ignores the failure beyond the limit',
      fields: { ...limit, ...rule('Ignore') },
      pod: { failureCount: 1 },
      failed: '',
    },
  ])('leads to the failed indexes "$failed" when $when', ({ fields, pod, failed }) => {
    given(aJob({ ...job, status: { ...running, failedIndexes: 'x' }, ...fields }))
      .and(aRunningPod({ index: 1 }), aFailedPod({ index: 0, exits: { main: 3 }, ...pod }))
      .when(null)
      .thenStatus({ failedIndexes: failed });
  });
});

describe('a pod with an ignored failure, of an index without retries (J-5.52, J-6.11)', () => {
  it('is replaced after the delay, and its failure is recorded as ignored', () => {
    const tried = given(aJob({ ...job, ...ignoring })).and(
      aRunningPod({ index: 1 }),
      aFailedPod({ index: 0, failureCount: 3, exits: { main: 3 }, finished: 0 }),
    );
    tried.when(null, { after: 79 }).thenLookAgain(80).thenWaitsBy('J-5.44');
    const { verdict } = tried.when(null, { after: 80 });
    expect(createdAnnotations(verdict, 0)).toEqual({ [COUNT]: '3', [IGNORED]: '1' });
  });
});

describe('the choice of the failed pod that waits for the replacement of its index (J-5.50)', () => {
  const nothing: PodState = { created: 0 };

  it.each<{ later: PodState; chosen: PodState; outlasts: boolean }>([
    { later: nothing, chosen: nothing, outlasts: true },
    { later: { ...nothing, finished: 5 }, chosen: { ...nothing, finished: 5 }, outlasts: true },
    { later: { ...nothing, finished: 4 }, chosen: { ...nothing, finished: 5 }, outlasts: false },
    {
      later: { ...nothing, finished: 5, failureCount: 1 },
      chosen: { ...nothing, finished: 4 },
      outlasts: true,
    },
    {
      later: { ...nothing, finished: 4, failureCount: 1 },
      chosen: { ...nothing, finished: 5 },
      outlasts: false,
    },
    {
      later: { ...nothing, finished: 6 },
      chosen: { ...nothing, finished: 5, failureCount: 1 },
      outlasts: false,
    },
    {
      later: { ...nothing, failureCount: 1, ignoredFailureCount: 1 },
      chosen: { ...nothing, failureCount: 1 },
      outlasts: true,
    },
  ])('prefers $later to $chosen: $outlasts', (row) => {
    expect(outlasts(row.later, row.chosen)).toBe(row.outlasts);
  });
});

describe('the failed indexes of a Job (J-6.20, J-6.21)', () => {
  const four = { ...job, parallelism: 4, completions: 4 };
  const withFailed = (failed: string, fields: JobFields = {}): Given =>
    given(aJob({ ...four, ...fields, status: { ...running, failedIndexes: failed } }));

  it.each<{ failed: string; most?: number; ends: string | undefined }>([
    { failed: '0', most: 1, ends: undefined },
    { failed: '0,1', most: 1, ends: 'MaxFailedIndexesExceeded' },
    { failed: '0-2', ends: undefined },
    { failed: '0-3', ends: 'FailedIndexes' },
    { failed: '0-3', most: 4, ends: 'FailedIndexes' },
  ])(
    'lead to the end $ends when of four indexes $failed have failed and $most may fail',
    ({ failed, most, ends }) => {
      const { verdict } = withFailed(failed, most === undefined ? {} : { maxFailedIndexes: most }).when(null);
      expect(writtenStatus(verdict).conditions?.[0]?.reason).toBe(ends);
    },
  );

  it('end the Job when all other indexes have succeeded', () => {
    const message = 'Job has failed indexes';
    const status = { ...running, failedIndexes: '1', completedIndexes: '0,2,3', succeeded: 3 };
    given(aJob({ ...four, status }))
      .when(null)
      .thenStatus({
        conditions: ['FailureTarget', 'Failed'].map((type) => ({
          type,
          status: 'True',
          reason: 'FailedIndexes',
          message,
        })),
      })
      .thenReports(`Warning FailedIndexes: ${message}`)
      .thenBecause('J-6.20: 1 index failed, 3 succeeded of 4', 'J-7.2: the change of the status is reported');
  });

  it('are recorded as a number, beside the limit, when they exceed maxFailedIndexes', () => {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    withFailed('1,3', { maxFailedIndexes: 1 })
      .when(null)
      .thenReports(`Warning MaxFailedIndexesExceeded: ${message}`)
      .thenBecause('J-6.20: 2 failed indexes, the limit is 1', 'J-7.2: the change of the status is reported');
  });

  it('do not end the Job when all indexes have succeeded', () => {
    const status = { ...running, completedIndexes: '0-3', succeeded: 4 };
    const { verdict } = given(aJob({ ...four, status })).when(null);
    expect(writtenStatus(verdict).conditions?.[0]?.reason).toBe('CompletionsReached');
  });

  it('end the Job at once when they exceed maxFailedIndexes', () => {
    given(aJob({ ...job, maxFailedIndexes: 0 }))
      .and(aRunningPod({ index: 1 }), aFailedPod({ index: 0, failureCount: 3 }))
      .when(null)
      .thenCommands('×1', '~1', 'status', '~1')
      .thenStatus({ failed: 2, failedIndexes: '0' });
  });

  it('are never run again', () => {
    const { verdict } = given(aJob({ ...job, status: { ...running, failedIndexes: '0' } })).when(null);
    expect(creationsIn(verdict).map(({ index }) => index)).toEqual([1]);
  });

  it('never become completed indexes (J-1.40 q)', () => {
    given(aJob({ ...job, completions: 3, status: { ...running, failedIndexes: '0' } }))
      .and(aSucceededPod({ index: 0 }))
      .when(null)
      .thenStatus({ failedIndexes: '0' });
  });
});

describe('a higher count of failures in an observed status', () => {
  it('is attributed to failed pods that await their count, not to failed pods that wait for a replacement', () => {
    const waiting = given(aJob(job)).and(
      aRunningPod({ index: 1 }),
      aFailedPod({ index: 1, failureCount: 0 }),
      aFailedPod(failedFirst),
    );
    const version = nextVersion();
    const state = fold(waiting.state, [
      aJob({ ...job, version, status: { ...running, active: 1, failed: 1 } }),
    ]);
    expect(state.uncounted.failed).toEqual([]);
    expect(Object.keys(state.delayed)).toEqual(['0']);
  });

  it('is also attributed to failed pods that wait for a replacement when the status ends the Job', () => {
    const waiting = given(aJob(job)).and(aFailedPod({ index: 1 }), aFailedPod(failedFirst));
    const conditions = [{ type: 'FailureTarget', status: 'True', reason: 'x', message: 'm' }];
    const ended = aJob({ ...job, status: { ...running, failed: 2, conditions } });
    const { verdict } = waiting.when(ended);
    expect(writtenStatus(verdict)).toMatchObject({ failed: 2 });
  });
});

describe('a new pod of a per-index Job', () => {
  it('is urgent for the workflow when its annotations show earlier failures of its index', () => {
    expect(jobUrgency(undefined, aPendingPod({ index: 0, failureCount: 1 }))).toBe('soon');
    expect(jobUrgency(undefined, aPendingPod({ index: 0, ignoredFailureCount: 1 }))).toBe('soon');
    expect(jobUrgency(undefined, aPendingPod({ index: 0, failureCount: 0 }))).toBe('none');
  });
});
