import { describe, expect, it } from '@jest/globals';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  jobObject,
} from '../support/builders.ts';
import { given, writtenBy } from '../support/given.ts';
import { objectionsTo } from '../support/model-cluster-status.ts';

const two = { parallelism: 2, completions: 4 };

describe('which fields of the status are there (J-1.22, J-1.26)', () => {
  it('after the very first sync: what the built-in controller writes', () => {
    const { verdict } = given(aJob(two)).when(null);
    expect(writtenBy(verdict)).toEqual({
      startTime: at(0),
      active: 2,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
  });

  it('counters of zero are absent, but for ready and terminating', () => {
    const { verdict } = given(aJob({ ...two, parallelism: 0 })).when(null);
    expect(Object.keys(writtenBy(verdict)).toSorted()).toEqual([
      'ready',
      'startTime',
      'terminating',
      'uncountedTerminatedPods',
    ]);
  });

  it('a complete Job has its end, not before its start', () => {
    const job = {
      parallelism: 1,
      completions: 1,
      status: { startTime: at(5), active: 1, ready: 0, terminating: 0 },
    };
    const { verdict } = given(aJob(job)).and(aSucceededPod()).when(null, { after: 3 });
    expect(writtenBy(verdict)).toMatchObject({ startTime: at(5), completionTime: at(5) });
    expect(objectionsTo(jobObject(job), writtenBy(verdict))).toEqual([]);
  });

  it('a failed Job has no end, and keeps its start (J-6.35)', () => {
    const { verdict } = given(aJob({ ...two, backoffLimit: 0, status: { startTime: at(-9) } }))
      .and(aFailedPod())
      .when(null);
    expect(writtenBy(verdict)).toMatchObject({ startTime: at(-9) });
    expect(writtenBy(verdict)).not.toHaveProperty('completionTime');
  });
});

describe('when the status is written', () => {
  it('is not for a start time alone (B-9)', () => {
    given(aJob({ ...two, parallelism: 0, status: { ready: 0, terminating: 0 } }))
      .when(null)
      .thenCommands();
  });

  it('is not when nothing of it changes', () => {
    given(aJob({ ...two, status: { startTime: at(0), active: 2, ready: 1, terminating: 0 } }))
      .and(aRunningPod(), aRunningPod({ readySince: 1 }))
      .when(null)
      .thenCommands();
  });

  it('knows pods that were asked to go', () => {
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

  it('counts so many pods at a time, and does not finish before all are counted (J-4.7)', () => {
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
    expect(writtenBy(verdict).conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet']);
  });

  it('warns of more successes than were wanted (J-6.33, B-17)', () => {
    const pods = [aSucceededPod(), aSucceededPod()];
    given(aJob({ parallelism: 1, completions: 1 }))
      .and(...pods)
      .when(null)
      .thenCommands('~2', 'status', 'event TooManySucceededPods, Completed');
  });
});
