import { describe, expect, it } from '@jest/globals';
import {
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  type JobFields,
} from '../../../support/builders.ts';
import type { Fact } from '../../../../workflows/job/facts.ts';
import { given, writtenStatus } from '../../../support/given.ts';

const running = { startTime: at(-60), ready: 0, terminating: 0 };
const PLENTY = 'Reached expected number of succeeded pods';

function typesAfter(job: JobFields, facts: Fact[]): string[] | undefined {
  const { verdict } = given(aJob({ status: running, ...job }))
    .and(...facts)
    .when(null);
  return writtenStatus(verdict).conditions?.map(({ type }) => type);
}

describe('a Job without a success policy (J-3.58, J-6.30)', () => {
  const ends = ['SuccessCriteriaMet', 'Complete'];

  it.each<{ when: string; job: JobFields; facts: Fact[]; conditions: string[] | undefined }>([
    {
      when: 'enough pods have succeeded',
      job: { parallelism: 2, completions: 2 },
      facts: [aSucceededPod(), aSucceededPod()],
      conditions: ends,
    },
    {
      when: 'more than enough pods have succeeded',
      job: { parallelism: 1, completions: 1 },
      facts: [aSucceededPod(), aSucceededPod()],
      conditions: ends,
    },
    {
      when: 'no completions are wanted',
      job: { parallelism: 1, completions: 0 },
      facts: [],
      conditions: ends,
    },
    {
      when: 'one pod of a work queue has succeeded and all have ended',
      job: { parallelism: 2 },
      facts: [aSucceededPod()],
      conditions: ends,
    },
    {
      when: 'one pod is still terminating',
      job: { parallelism: 1, completions: 1 },
      facts: [aSucceededPod(), aTerminatingPod()],
      conditions: ['SuccessCriteriaMet'],
    },
  ])('gets the conditions $conditions when $when', ({ job, facts, conditions }) => {
    expect(typesAfter(job, facts)).toEqual(conditions);
  });

  it.each<{ when: string; job: JobFields; facts: Fact[] }>([
    {
      when: 'too few pods have succeeded, and none may run',
      job: { parallelism: 0, completions: 2 },
      facts: [aSucceededPod()],
    },
    {
      when: 'no pod of a work queue has succeeded, and none may run',
      job: { parallelism: 0, status: { ...running, active: 1 } },
      facts: [],
    },
    {
      when: 'a pod of a work queue still runs',
      job: { parallelism: 2 },
      facts: [aSucceededPod(), aRunningPod()],
    },
  ])('is not complete when $when', ({ job, facts }) => {
    expect(typesAfter(job, facts)).toBeUndefined();
  });

  it('gets its conditions with reason and message, and an Event, when it completes (J-7.2)', () => {
    given(aJob({ parallelism: 1, completions: 1, status: running }))
      .and(aSucceededPod())
      .when(null)
      .thenStatus({
        conditions: [
          { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached', message: PLENTY },
          { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: PLENTY },
        ],
      })
      .thenReports('Normal Completed: Job completed')
      .thenBecause(
        'J-4.11: counted now: 1 succeeded, 0 failed',
        'J-6.30: 1 succeeded of 1, none active',
        'J-7.2: the change of the status is reported',
      );
  });

  it('is not complete when it is already failing (J-3.54)', () => {
    const conditions = [{ type: 'FailureTarget', status: 'True' }];
    const job = { parallelism: 1, completions: 1, status: { ...running, conditions } };
    expect(typesAfter(job, [aSucceededPod()])).toEqual(['FailureTarget', 'Failed']);
  });

  it('is complete as a work queue after any number of successes, and the recorded reason says so', () => {
    given(aJob({ parallelism: 2, status: { ...running, succeeded: 1 } }))
      .when(null)
      .thenBecause(
        'J-6.30: 1 succeeded of any number, none active',
        'J-7.2: the change of the status is reported',
      );
  });
});
