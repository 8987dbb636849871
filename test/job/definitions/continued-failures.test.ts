import { describe, expect, it } from '@jest/globals';
import { failuresToContinue } from '../../../workflows/job/definitions/continued-failures.ts';
import type { ContinuedFailures } from '../../../workflows/batch/facts.ts';
import { continuedFailuresIn } from '../../../workflows/job/observe/continued-failures.ts';
import { INITIAL_STATE } from '../../../workflows/job/state.ts';
import { aFailedPod, aJob, aSucceededPod, at, START, type JobFields } from '../../support/builders.ts';
import { creationsIn, given } from '../../support/given.ts';

const ANNOTATION = 'jobledger.dev/continued-failures';
const running = { startTime: at(-60), ready: 0, terminating: 0 };
const perIndex: JobFields = {
  completionMode: 'Indexed',
  parallelism: 3,
  completions: 3,
  backoffLimitPerIndex: 2,
  backoffLimit: 100,
  status: { ...running, failedIndexes: '' },
};
const row: JobFields = { parallelism: 1, completions: 9, backoffLimit: 99, status: running };

/** These fields of a Job that continues the failures of another one. */
function continuing(fields: JobFields, failures: ContinuedFailures): JobFields {
  return { ...fields, annotations: { [ANNOTATION]: JSON.stringify(failures) } };
}

function instant(time: number): number {
  return START + time * 1000;
}

describe('a member that continues the failures of the earlier member (J-16.23)', () => {
  it('waits as long as the earlier member would have waited, and twice as long after the next failure', () => {
    const fields = continuing(row, { consecutive: [START + 5000, START] });
    given(aJob(fields)).when(null, { after: 24 }).thenWaitsBy('J-5.40').thenLookAgain(25);
    given(aJob(fields)).when(null, { after: 25 }).thenCommands('+1', 'status');
    given(aJob(fields))
      .and(aFailedPod({ finished: 30 }))
      .when(null, { after: 31 })
      .thenLookAgain(70);
  });

  it('does not wait after one of its pods has succeeded', () => {
    const fields = continuing(row, { consecutive: [START + 5000, START] });
    const { verdict } = given(aJob(fields))
      .and(aSucceededPod({ finished: 6 }))
      .when(null, { after: 7 });
    expect(creationsIn(verdict)).toHaveLength(1);
  });

  it('continues the failures of each index, with their delay', () => {
    const indexes = { 1: { failureCount: 2, ignoredFailureCount: 1, at: instant(0) } };
    const { verdict } = given(aJob(continuing(perIndex, { indexes }))).when(null, { after: 39 });
    expect(creationsIn(verdict).map(({ index }) => index)).toEqual([0, 2]);
    expect(verdict.waiting).toBeNull();
    const later = given(aJob(continuing(perIndex, { indexes }))).when(null, { after: 40 }).verdict;
    expect(creationsIn(later).find(({ index }) => index === 1)?.annotations).toEqual({
      'batch.kubernetes.io/job-index-failure-count': '2',
      'batch.kubernetes.io/job-index-ignored-failure-count': '1',
    });
  });

  it('counts the failures of an index from its own failed pod, when it has one, not from the earlier member', () => {
    const indexes = { 1: { failureCount: 1, ignoredFailureCount: 0, at: instant(0) } };
    const { verdict } = given(aJob(continuing(perIndex, { indexes })))
      .and(aFailedPod({ index: 1, failureCount: 1, finished: 50 }))
      .when(null, { after: 200 });
    expect(creationsIn(verdict).find(({ index }) => index === 1)?.annotations).toEqual({
      'batch.kubernetes.io/job-index-failure-count': '2',
    });
  });
});

describe('the failures that a member leaves for the next member (J-16.23)', () => {
  it('are empty when the member is unknown, or no pod failed', () => {
    const nothing = { failures: {}, uncountedPodCount: 0 };
    expect(failuresToContinue(INITIAL_STATE)).toEqual(nothing);
    expect(failuresToContinue(given(aJob(perIndex)).state)).toEqual(nothing);
  });

  it('are the consecutive failures of its own pods, together with those that it continued', () => {
    const fields = continuing(row, { consecutive: [START - 9000] });
    const { state } = given(aJob(fields)).and(aFailedPod({ finished: 5 }), aFailedPod({ finished: 3 }));
    expect(failuresToContinue(state).failures).toEqual({
      consecutive: [START + 5000, START + 3000, START - 9000],
    });
  });

  it('are the failures of each open index, and the number of failures that the status of the member does not count', () => {
    const indexes = {
      0: { failureCount: 1, ignoredFailureCount: 0, at: instant(-9) },
      2: { failureCount: 2, ignoredFailureCount: 0, at: instant(-9) },
    };
    const fields = continuing(perIndex, { indexes });
    const status = { ...running, failedIndexes: '', completedIndexes: '0' };
    const { state } = given(aJob({ ...fields, status })).and(aFailedPod({ index: 1, finished: 5 }));
    expect(failuresToContinue(state)).toEqual({
      failures: {
        indexes: {
          1: { failureCount: 1, ignoredFailureCount: 0, at: instant(5) },
          2: { failureCount: 2, ignoredFailureCount: 0, at: instant(-9) },
        },
      },
      uncountedPodCount: 1,
    });
  });

  it('have a separate number for failures that its pod failure policy ignores', () => {
    const ignoring = {
      podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }] },
    };
    const pod = aFailedPod({ index: 1, finished: 5, exits: { main: 3 } });
    const { state } = given(aJob({ ...perIndex, ...ignoring })).and(pod);
    expect(failuresToContinue(state)).toEqual({
      failures: { indexes: { 1: { failureCount: 0, ignoredFailureCount: 1, at: instant(5) } } },
      uncountedPodCount: 0,
    });
  });

  it('are limited to the thousand indexes that failed most often', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1500 }, (_none, index) => [
        index,
        { failureCount: index < 500 ? 1 : 2, ignoredFailureCount: 0, at: 0 },
      ]),
    );
    const fields = continuing({ ...perIndex, completions: 2000 }, { indexes: many });
    const kept = failuresToContinue(given(aJob(fields)).state).failures.indexes ?? {};
    expect(Object.keys(kept)).toHaveLength(1000);
    expect(Object.values(kept).every(({ failureCount }) => failureCount === 2)).toBe(true);
  });
});

describe('the annotation with continued failures', () => {
  it.each([
    ['{}', {}],
    ['{"consecutive":[1,2]}', { consecutive: [1, 2] }],
    [
      '{"indexes":{"3":{"failureCount":1,"ignoredFailureCount":0,"at":5}}}',
      { indexes: { 3: { failureCount: 1, ignoredFailureCount: 0, at: 5 } } },
    ],
  ])('may be %s', (text, value) => {
    expect(continuedFailuresIn(text)).toEqual(value);
  });

  it.each([
    '',
    'null',
    '[]',
    '{"consecutive":[-1]}',
    '{"consecutive":5}',
    '{"indexes":{"x":{"failureCount":1,"ignoredFailureCount":0,"at":5}}}',
    '{"indexes":{"3":{"failureCount":1}}}',
    '{"indexes":{"3":{"failureCount":1.5,"ignoredFailureCount":0,"at":5}}}',
    '{"others":1}',
  ])('is ignored and reported as invalid when it is "%s"', (text) => {
    expect(continuedFailuresIn(text)).toBeNull();
    const { job } = aJob({ ...row, annotations: { [ANNOTATION]: text } });
    expect(job.annotations?.invalid?.[0]).toContain(`${ANNOTATION} is ignored`);
    expect(job.annotations?.continues).toBeUndefined();
  });
});
