import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { backoffEnd } from '../../../../workflows/job/decide/pods/backoff.ts';
import { failuresInARow } from '../../../../workflows/job/definitions/continued-failures.ts';
import { DEFAULT_SETTINGS } from '../../../../workflows/job/settings.ts';
import { aFailedPod, aJob, aSucceededPod, podDeletion, START } from '../../../support/builders.ts';
import { given } from '../../../support/given.ts';

const MANY = { parallelism: 1, completions: 9, backoffLimit: 99 };

function delayAfter(failures: number): number {
  const times = Array.from({ length: failures }, () => START);
  return ((backoffEnd(times, DEFAULT_SETTINGS) ?? START) - START) / 1000;
}

describe('the delay after consecutive failures (J-5.40)', () => {
  it('doubles from ten seconds and is never longer than ten minutes (B-18)', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 32].map(delayAfter)).toEqual([
      0, 10, 20, 40, 80, 160, 320, 600, 600, 600,
    ]);
  });

  it('follows the configured delays', () => {
    const settings = { ...DEFAULT_SETTINGS, podFailureBackoffMs: 100, maxPodFailureBackoffMs: 250 };
    expect(backoffEnd([START, START], settings)).toBe(START + 200);
    expect(backoffEnd([START, START, START], settings)).toBe(START + 250);
  });

  it('counts only failures after the latest success (J-5.42)', () => {
    expect(failuresInARow({ lastSuccess: 5000, failures: [7000, 6000, 5000, 4000] })).toEqual([7000, 6000]);
  });

  it('includes the failures of the earlier member, until a pod succeeds (J-16.23)', () => {
    const record = { lastSuccess: 0, failures: [7000] };
    expect(failuresInARow(record, [6000, 4000])).toEqual([7000, 6000, 4000]);
    expect(failuresInARow({ ...record, lastSuccess: 6500 }, [6000, 4000])).toEqual([7000]);
  });
});

describe('a Job whose pods fail', () => {
  it('creates the next pod ten seconds after the first pod finished', () => {
    const job = given(aJob(MANY)).and(aFailedPod({ finished: 0 }));
    job.when(null, { after: 9 }).thenCommands('~1', 'status').thenLookAgain(10).thenWaitsBy('J-5.40');
    job.when(null, { after: 10 }).thenCommands('+1', '~1', 'status');
  });

  it('waits from the last failure, in whatever order the failures were observed', () => {
    const pods = [aFailedPod({ finished: 4 }), aFailedPod({ finished: 1 })];
    given(aJob(MANY))
      .and(...pods)
      .when(null, { after: 5 })
      .thenLookAgain(24);
  });

  it('does not wait after a later success', () => {
    given(aJob(MANY))
      .and(aFailedPod({ finished: 1 }), aSucceededPod({ finished: 2 }))
      .when(null, { after: 3 })
      .thenCommands('+1', '~2', 'status');
  });

  it('waits the same time, however the pods were counted, batched and deleted', () => {
    const first = aFailedPod({ finished: 0 });
    const job = given(aJob(MANY)).and(first, podDeletion(first), aFailedPod({ finished: 3 }));
    job.when(null, { after: 4 }).thenLookAgain(23);
  });

  it('waits the same time, in whatever order the pods finish and are observed', () => {
    const ends = fc.array(fc.record({ finished: fc.nat(50), fails: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(ends, fc.infiniteStream(fc.nat()), (pods, places) => {
        const shuffled = pods
          .map((pod) => ({ pod, place: places.next().value }))
          .toSorted((a, b) => a.place - b.place)
          .map(({ pod }) => pod);
        expect(recordAfter(shuffled)).toEqual(recordAfter(pods));
      }),
      { numRuns: 100, seed: 1 },
    );
  });
});

function recordAfter(pods: { finished: number; fails: boolean }[]): unknown {
  const facts = pods.map(({ finished, fails }) =>
    fails ? aFailedPod({ finished }) : aSucceededPod({ finished }),
  );
  return given(aJob(MANY)).and(...facts).state.backoff;
}
