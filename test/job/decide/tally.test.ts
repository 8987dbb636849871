import { describe, expect, it } from '@jest/globals';
import { jobFacts } from '../../../workflows/job/observe/compact.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState, type PodState } from '../../../workflows/job/state.ts';
import { takeTally, type Tally } from '../../../workflows/job/decide/tally.ts';
import { at, jobObject, START, type JobFields } from '../../support/builders.ts';

const running: PodState = { created: 0 };
const ended = (index?: number): PodState => ({
  ...running,
  phase: 'Failed',
  ...(index !== undefined && { index }),
});

function tally(job: JobFields, state: Partial<JobState> = {}, cap = 500): Tally {
  const settings = { ...DEFAULT_SETTINGS, maxUncountedPods: cap };
  return takeTally({
    state: { ...INITIAL_STATE, ...state },
    job: jobFacts(jobObject(job)),
    now: START + 999,
    settings,
  });
}

describe('the pods in the tally of a Job (J-0.4)', () => {
  const pods: Record<string, PodState> = {
    running,
    pending: { ...running, phase: 'Pending' },
    ready: { ...running, ready: 9 },
    going: { ...running, deleting: true, ready: 9 },
    succeeded: { ...running, phase: 'Succeeded' },
    failed: { ...running, phase: 'Failed' },
    gone: { ...running, gone: true },
    orphan: { ...running, claim: 'adopt' },
  };
  const uids = (held: Tally['live']): string[] => held.map(({ uid }) => uid);

  it('are active or terminating, and finished pods and orphans are neither', () => {
    const { active, terminating, live, ready } = tally({}, { pods });
    expect(uids(active)).toEqual(['running', 'pending', 'ready']);
    expect(uids(terminating)).toEqual(['going']);
    expect(uids(live)).toEqual(['running', 'pending', 'ready', 'going']);
    expect(ready).toBe(1);
  });
});

describe('the instant since which a Job is active (J-3.50, J-6.5)', () => {
  it.each<{ job: JobFields; since: string | null }>([
    { job: {}, since: at(0) },
    { job: { suspend: false, status: { startTime: at(-7) } }, since: at(-7) },
    { job: { suspend: true }, since: null },
    { job: { suspend: true, status: { startTime: at(-7) } }, since: null },
  ])('is $since for $job', ({ job, since }) => {
    expect(tally(job).activeSince).toBe(since);
    expect(tally(job).suspended).toBe(job.suspend ?? false);
  });
});

describe('the pods that a status counts for the first time (J-4.7)', () => {
  const uncounted = { succeeded: ['a', 'b'], failed: ['c', 'd'] };

  it.each([
    { cap: 1, succeeded: ['a'], failed: [], isCapped: true },
    { cap: 3, succeeded: ['a', 'b'], failed: ['c'], isCapped: true },
    { cap: 4, succeeded: ['a', 'b'], failed: ['c', 'd'], isCapped: false },
  ])(
    'are the succeeded pods $succeeded and the failed pods $failed when the limit is $cap',
    ({ cap, succeeded, failed, isCapped }) => {
      const { newSucceeded, newFailed, ...rest } = tally({}, { uncounted }, cap);
      expect([newSucceeded, newFailed]).toEqual([succeeded, failed]);
      expect(rest.isCapped).toBe(isCapped);
    },
  );
});

describe('the counters in the tally of a Job', () => {
  const status = {
    succeeded: 10,
    failed: 20,
    uncountedTerminatedPods: { succeeded: ['u'], failed: ['v', 'w'] },
  };

  it('are the counters of the status, plus the pods that have not been counted and the pods listed by the built-in controller (J-4.3)', () => {
    const uncounted = { succeeded: ['a'], failed: ['b', 'c', 'd'] };
    expect(tally({ status }, { uncounted })).toMatchObject({ succeeded: 12, failed: 25, indexes: null });
    expect(tally({})).toMatchObject({ succeeded: 0, failed: 0 });
  });

  it('include failed pods that wait for a replacement, unless they are ignored (J-3.50)', () => {
    const rules = [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }];
    const job = { completionMode: 'Indexed', completions: 4, podFailurePolicy: { rules } };
    const pods = { a: ended(0), b: { ...ended(1), exits: [{ container: 'main', code: 3 }] } };
    expect(tally(job, { pods, delayed: { 0: 'a', 1: 'b', 2: 'unknown' } }).failed).toBe(1);
  });
});

describe('the indexes in the tally of a Job (J-4.12, J-5.52)', () => {
  const indexed: JobFields = { completionMode: 'Indexed', completions: 9 };
  const perIndex: JobFields = { ...indexed, backoffLimitPerIndex: 0 };
  const status = { completedIndexes: '0', failedIndexes: '8' };
  const pods = { a: ended(1), b: ended(0), c: ended(9), d: ended(8), e: ended() };
  const all = Object.keys(pods);

  it('are completed when the status lists them, or when a pod of an index within the Job succeeded', () => {
    const { indexes, succeeded } = tally(
      { ...indexed, status },
      { pods, uncounted: { succeeded: all, failed: [] } },
    );
    expect(indexes).toEqual({ completed: [[0, 1]], failed: null });
    expect(succeeded).toBe(2);
  });

  it('are failed when the status lists them, or when a pod of an index within the Job failed finally', () => {
    const { indexes } = tally(
      { ...perIndex, status },
      { pods, uncounted: { succeeded: [], failed: [...all, 'gone'] } },
    );
    expect(indexes).toEqual({
      completed: [[0, 0]],
      failed: [
        [1, 1],
        [8, 8],
      ],
    });
  });

  it('are not failed while their pods may be retried', () => {
    const uncounted = { succeeded: [], failed: all };
    expect(tally({ ...perIndex, backoffLimitPerIndex: 1 }, { pods, uncounted }).indexes?.failed).toEqual([]);
  });

  it('are completed rather than failed when they have both a success and a failure', () => {
    const uncounted = { succeeded: ['a'], failed: ['f'] };
    const { indexes } = tally(perIndex, { pods: { ...pods, f: ended(1) }, uncounted });
    expect(indexes).toEqual({ completed: [[1, 1]], failed: [] });
  });
});
