import { describe, expect, it } from '@jest/globals';
import { aFailedPod, aJob, type JobFields } from '../../../support/builders.ts';
import { given, type Given } from '../../../support/given.ts';

const NAME = 'jobledger.dev/backoff-seconds';

function aJobWith(seconds: string, fields: JobFields = {}): Given {
  const annotations = { [NAME]: seconds };
  return given(aJob({ parallelism: 1, completions: 9, backoffLimit: 99, annotations, ...fields }));
}

function failures(count: number): ReturnType<typeof aFailedPod>[] {
  return Array.from({ length: count }, () => aFailedPod({ finished: 0 }));
}

describe('a Job with jobledger.dev/backoff-seconds (J-12.8)', () => {
  it.each([
    [1, 3],
    [2, 6],
    [3, 12],
    [8, 384],
  ])('waits after %i failures for %i s with an initial delay of 3 s', (count, seconds) => {
    aJobWith('3')
      .and(...failures(count))
      .when(null, { after: 1 })
      .thenLookAgain(seconds);
  });

  it('waits at most ten minutes, as without the annotation', () => {
    aJobWith('3')
      .and(...failures(9))
      .when(null, { after: 1 })
      .thenLookAgain(600);
    aJobWith('700')
      .and(...failures(1))
      .when(null, { after: 1 })
      .thenLookAgain(600);
  });

  it('creates the next pod at once with the value 0', () => {
    aJobWith('0')
      .and(...failures(3))
      .when(null, { after: 0 })
      .thenCommands('+1', '~3', 'status');
  });

  it('names the back-off and its end as the reason to wait', () => {
    aJobWith('3')
      .and(...failures(1))
      .when(null, { after: 1 })
      .thenWaitsBy(
        'J-5.40',
        `no pod before 2026-03-01T12:00:03.000Z: back-off after 1 failure in a row, the first delay is 3 s (${NAME})`,
      );
  });

  it('delays each index of a per-index Job by the annotated time (J-5.44)', () => {
    aJobWith('3', { completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 5 })
      .and(aFailedPod({ index: 0, finished: 0, failureCount: 1 }))
      .when(null, { after: 1 })
      .thenLookAgain(6)
      .thenWaitsBy(
        'J-5.44',
        `no pod before 2026-03-01T12:00:06.000Z: back-off of index 0, the first delay is 3 s (${NAME})`,
      );
  });

  it('waits as without the annotation under OnFailure, where the kubelet restarts the containers (J-12.4)', () => {
    const waiting = aJobWith('3', { restartPolicy: 'OnFailure' })
      .and(...failures(1))
      .when(null, { after: 1 })
      .thenLookAgain(10);
    expect(waiting.verdict.waiting?.message).not.toContain(NAME);
  });
});
