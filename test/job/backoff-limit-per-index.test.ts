import { describe, expect, it } from '@jest/globals';
import { fold } from '../../workflows/job/evolve.ts';
import { news } from '../../workflows/job/news.ts';
import type { CreatePods } from '../../workflows/job/commands.ts';
import type { Verdict } from '../../workflows/job/verdict.ts';
import {
  aFailedPod,
  aJob,
  aPendingPod,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  gone,
  jobDeleted,
  nextVersion,
  type JobFields,
} from '../support/builders.ts';
import { given, writtenBy } from '../support/given.ts';

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

function created({ commands }: Verdict): CreatePods['pods'] {
  return commands.flatMap((each) => (each.kind === 'CreatePods' ? each.pods : []));
}

function annotationsOf(verdict: Verdict, index: number): Record<string, string> | undefined {
  return created(verdict).find((pod) => pod.index === index)?.annotations;
}

const COUNT = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count';

describe('what a new pod tells of those before it (J-5.7)', () => {
  it('nothing failed: counted 0, ignored absent', () => {
    const { verdict } = given(aJob(job)).when(null);
    expect(annotationsOf(verdict, 0)).toEqual({ [COUNT]: '0' });
  });

  it('one counted failure more than the pod it replaces', () => {
    const { verdict } = given(aJob(job))
      .and(aFailedPod({ index: 0, failureCount: 1, ignoredFailureCount: 2 }))
      .when(null);
    expect(annotationsOf(verdict, 0)).toEqual({ [COUNT]: '2', [IGNORED]: '2' });
  });

  it('one ignored failure more when the policy ignores it', () => {
    const failed = aFailedPod({ index: 0, failureCount: 1, exits: { main: 3 } });
    const { verdict } = given(aJob({ ...job, ...ignoring }))
      .and(failed)
      .when(null);
    expect(annotationsOf(verdict, 0)).toEqual({ [COUNT]: '1', [IGNORED]: '1' });
  });

  it('nothing in a Job without limits for each index', () => {
    const { backoffLimitPerIndex: _none, ...plain } = job;
    const { verdict } = given(aJob(plain)).when(null);
    expect(created(verdict).map(({ annotations }) => annotations)).toEqual([undefined, undefined]);
  });
});

describe('the delay of an index (J-5.44)', () => {
  it('is that of all its failures, counted and ignored', () => {
    given(aJob(job))
      .and(
        aRunningPod({ index: 1 }),
        aFailedPod({ index: 0, failureCount: 1, ignoredFailureCount: 1, finished: 0 }),
      )
      .when(null)
      .thenLookAgain(40)
      .thenWaitsBy('J-5.44');
  });

  it('holds up no other index, but keeps its place (J-5.17)', () => {
    const { verdict } = given(aJob({ ...job, completions: 5 }))
      .and(aFailedPod({ ...failedFirst, finished: 0 }))
      .when(null);
    expect(created(verdict).map(({ index }) => index)).toEqual([1]);
  });
});

describe('a failed pod that waits for its replacement (J-5.50)', () => {
  const waiting = given(aJob(job)).and(aRunningPod({ index: 1 }), aFailedPod(failedFirst));

  it('is neither counted nor released', () => {
    const { verdict } = waiting.when(null).thenCommands('+1', 'status');
    expect(writtenBy(verdict)).not.toHaveProperty('failed');
  });

  it('is, once the replacement is seen', () => {
    waiting
      .and(aPendingPod({ index: 0, failureCount: 1 }))
      .when(null)
      .thenCommands('~1', 'status')
      .thenStatus({ failed: 1, active: 2, failedIndexes: '' });
  });

  it('is, when its index is completed (J-3.56)', () => {
    waiting
      .and(aSucceededPod({ index: 0 }))
      .when(null)
      .thenCommands('~2', 'status')
      .thenStatus({ failed: 1, succeeded: 1, completedIndexes: '0' });
  });

  it('is, when the Job is being deleted', () => {
    waiting
      .when(aJob({ ...job, deleting: true }))
      .thenCommands('~2', 'status')
      .thenStatus({ failed: 1 });
  });

  it('is counted when its finalizer was taken by others', () => {
    const [other, failed] = [aRunningPod({ index: 1 }), aFailedPod(failedFirst)];
    const lost = given(aJob(job)).and(other, failed, gone(failed));
    lost.when(null).thenCommands('+1', 'status').thenStatus({ failed: 1 });
  });

  it('is released uncounted when its index is no longer one', () => {
    const { verdict } = given(aJob({ ...job, generation: 1 }))
      .and(aRunningPod({ index: 0 }), aFailedPod({ index: 1 }))
      .when(aJob({ ...job, generation: 2, parallelism: 1, completions: 1 }))
      .thenCommands('~1', 'status');
    expect(writtenBy(verdict)).not.toHaveProperty('failed');
  });

  it('is the one that tells of most failures', () => {
    const { verdict } = waiting.and(aFailedPod({ index: 0, failureCount: 1 })).when(null);
    expect(annotationsOf(verdict, 0)).toEqual({ [COUNT]: '2' });
    expect(writtenBy(verdict)).toMatchObject({ failed: 1 });
  });

  it('succeeds after all, when it was only being deleted', () => {
    const name = 'late';
    given(aJob(job))
      .and(aRunningPod({ index: 1 }), aTerminatingPod({ name, index: 0 }))
      .when(aSucceededPod({ name, index: 0, deleted: -3600 }))
      .thenStatus({ succeeded: 1, completedIndexes: '0', active: 1 });
  });

  it('is freed with the Job gone', () => {
    waiting.when(jobDeleted()).thenCommands('~2');
  });

  it('is ignored by the counters, and released, when the policy ignores it', () => {
    const { verdict } = given(aJob({ ...job, ...ignoring }))
      .and(aRunningPod({ index: 1 }), aFailedPod({ index: 0, exits: { main: 3 } }))
      .when(aRunningPod({ index: 0, ignoredFailureCount: 1 }))
      .thenCommands('~1', 'status');
    expect(writtenBy(verdict)).not.toHaveProperty('failed');
  });
});

describe('failed indexes (J-6.20, J-6.21)', () => {
  it('end the Job at once when they are too many', () => {
    given(aJob({ ...job, maxFailedIndexes: 0 }))
      .and(aRunningPod({ index: 1 }), aFailedPod({ index: 0, failureCount: 3 }))
      .when(null)
      .thenCommands('×1', '~1', 'status', '~1')
      .thenStatus({ failed: 2, failedIndexes: '0' });
  });

  it('are never run again', () => {
    const { verdict } = given(aJob({ ...job, status: { ...running, failedIndexes: '0' } })).when(null);
    expect(created(verdict).map(({ index }) => index)).toEqual([1]);
  });

  it('are no completed ones, whatever comes later (J-1.40 q)', () => {
    given(aJob({ ...job, completions: 3, status: { ...running, failedIndexes: '0' } }))
      .and(aSucceededPod({ index: 0 }))
      .when(null)
      .thenStatus({ failedIndexes: '0' });
  });
});

describe('a lost outcome', () => {
  it('is attributed to what was owed, not to what waits', () => {
    const waiting = given(aJob(job)).and(
      aRunningPod({ index: 1 }),
      aFailedPod({ index: 1, failureCount: 0 }),
      aFailedPod(failedFirst),
    );
    const version = nextVersion();
    const state = fold(waiting.state, [
      aJob({ ...job, version, status: { ...running, active: 1, failed: 1 } }),
    ]);
    expect(state.owed.failed).toEqual([]);
    expect(Object.keys(state.delayed)).toEqual(['0']);
  });

  it('is attributed to what waited as well, when the Job ended', () => {
    const waiting = given(aJob(job)).and(aFailedPod({ index: 1 }), aFailedPod(failedFirst));
    const conditions = [{ type: 'FailureTarget', status: 'True', reason: 'x', message: 'm' }];
    const ended = aJob({ ...job, status: { ...running, failed: 2, conditions } });
    const { verdict } = waiting.when(ended);
    expect(writtenBy(verdict)).toMatchObject({ failed: 2 });
  });
});

describe('a fresh pod of a per-index Job', () => {
  it('is news when it replaces one, as that one waits for it', () => {
    expect(news(undefined, aPendingPod({ index: 0, failureCount: 1 }))).toBe('soon');
    expect(news(undefined, aPendingPod({ index: 0, ignoredFailureCount: 1 }))).toBe('soon');
    expect(news(undefined, aPendingPod({ index: 0, failureCount: 0 }))).toBe('none');
  });
});
