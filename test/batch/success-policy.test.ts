import { describe, it } from '@jest/globals';
import type { SuccessPolicy } from '../../workflows/kubernetes/objects.ts';
import { aFailedPod, aJob, at, aRunningPod, aSucceededPod, aTerminatingPod } from '../support/builders.ts';
import { given, writtenStatus, type Given } from '../support/given.ts';

const status = { startTime: at(-60), active: 4, ready: 0, terminating: 0 };

function jobWith(...rules: SuccessPolicy['rules']): Given {
  const spec = { completionMode: 'Indexed', parallelism: 4, completions: 4 };
  return given(aJob({ ...spec, successPolicy: { rules }, status }));
}

function succeeded(...indexes: number[]): ReturnType<typeof aSucceededPod>[] {
  return [0, 1, 2, 3].map((index) =>
    indexes.includes(index) ? aSucceededPod({ index }) : aRunningPod({ index }),
  );
}

const isMet = (rule: number): { conditions: { type: string; status: string; message: string }[] } => ({
  conditions: [{ type: 'SuccessCriteriaMet', status: 'True', message: `Matched rules at index ${rule}` }],
});

describe('a success policy (J-6.31, J-6.32)', () => {
  it('is met when all listed indexes have succeeded', () => {
    const job = jobWith({ succeededIndexes: '0,2' });
    job
      .and(...succeeded(0, 1))
      .when(null)
      .thenCommands('~2', 'status');
    job
      .and(...succeeded(0, 2))
      .when(null)
      .thenCommands('×2', '~2', 'status', '~2')
      .thenStatus(isMet(0));
  });

  it('is met when a sufficient number of the listed indexes have succeeded', () => {
    const job = jobWith({ succeededIndexes: '0-2', succeededCount: 2 });
    job
      .and(...succeeded(2, 3))
      .when(null)
      .thenCommands('~2', 'status');
    job
      .and(...succeeded(1, 2))
      .when(null)
      .thenStatus(isMet(0));
  });

  it('is met when a sufficient number of any indexes have succeeded, and the message names the first rule that matches', () => {
    const job = jobWith({ succeededIndexes: '3' }, { succeededCount: 2 });
    job
      .and(...succeeded(0))
      .when(null)
      .thenCommands('~1', 'status');
    job
      .and(...succeeded(0, 1))
      .when(null)
      .thenStatus(isMet(1));
  });

  it('is not evaluated before an index has succeeded', () => {
    const job = jobWith({ succeededCount: 0 });
    job
      .and(...succeeded())
      .when(null)
      .thenCommands();
    job
      .and(...succeeded(2))
      .when(null)
      .thenStatus(isMet(0));
  });

  it('is recorded as the reason of its commands, with the matching rule and the number of succeeded indexes', () => {
    jobWith({ succeededIndexes: '3' }, { succeededCount: 2 })
      .and(...succeeded(0, 2))
      .when(null)
      .thenStatus({
        conditions: [
          {
            type: 'SuccessCriteriaMet',
            status: 'True',
            reason: 'SuccessPolicy',
            message: 'Matched rules at index 1',
          },
        ],
      })
      .thenBecause(
        'J-6.31: rule 1 of the success policy is met, 2 indexes succeeded',
        'J-4.11: counted now: 2 succeeded, 0 failed',
        'J-6.31: rule 1 of the success policy is met, 2 indexes succeeded',
        'J-4.5: the Job ends',
      );
  });

  it('completes the Job at once when no pod is left (J-6.34)', () => {
    given(
      aJob({
        completionMode: 'Indexed',
        parallelism: 0,
        completions: 4,
        successPolicy: { rules: [{ succeededCount: 1 }] },
        status,
      }),
    )
      .and(aSucceededPod({ index: 3 }))
      .when(null)
      .thenStatus({
        conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
          type,
          status: 'True',
          reason: 'SuccessPolicy',
          message: 'Matched rules at index 0',
        })),
      })
      .thenReports('Normal Completed: Job completed');
  });

  it('is met without a success of its listed indexes when its count is zero (J-6.32)', () => {
    jobWith({ succeededIndexes: '3', succeededCount: 0 })
      .and(...succeeded(0))
      .when(null)
      .thenStatus(isMet(0));
  });

  it('has no effect in a NonIndexed Job (J-1.11)', () => {
    const successPolicy = { rules: [{ succeededCount: 1 }] };
    given(aJob({ parallelism: 4, completions: 4, successPolicy, status }))
      .and(...succeeded(0))
      .when(null)
      .thenCommands('~1', 'status');
  });

  it('is not met by an empty rule', () => {
    jobWith({})
      .and(...succeeded(0))
      .when(null)
      .thenCommands('~1', 'status');
  });

  it('ignores listed indexes beyond the completions (J-1.32)', () => {
    jobWith({ succeededIndexes: '0,9' })
      .and(...succeeded(0))
      .when(null)
      .thenStatus(isMet(0));
  });

  it('is not met by a rule that lists no index of the Job', () => {
    jobWith({ succeededIndexes: '7-9', succeededCount: 0 })
      .and(...succeeded(0))
      .when(null)
      .thenCommands('~1', 'status');
  });
});

describe('pods that are deleted because the success policy is met', () => {
  const led = { succeededIndexes: '0' };

  it('are not counted, though their deletion is observed before its outcome is known (J-4.17)', () => {
    const job = jobWith(led).and(aSucceededPod({ index: 0 }), aRunningPod({ name: 'runs', index: 1 }));
    const ending = job.when(null).thenCommands('×1', '~1', 'status', '~1').thenStatus(isMet(0));
    const news = [
      { seen: aTerminatingPod({ name: 'runs', index: 1 }), types: ['SuccessCriteriaMet'] },
      { seen: aFailedPod({ name: 'runs', index: 1 }), types: ['SuccessCriteriaMet', 'Complete'] },
      { seen: aSucceededPod({ name: 'runs', index: 1 }), types: ['SuccessCriteriaMet', 'Complete'] },
    ];
    for (const { seen, types } of news) {
      const { verdict } = ending.recorded().when(seen);
      const written = writtenStatus(verdict);
      expect(written.conditions?.map(({ type }) => type)).toStrictEqual(types);
      expect(written).toMatchObject({ succeeded: 1, completedIndexes: '0' });
      expect(written.failed).toBeUndefined();
    }
  });

  it('do not fail the Job, even if their exit code matches a rule FailJob of its pod failure policy', () => {
    const podFailurePolicy = {
      rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [143] } }],
    };
    const rest = { completionMode: 'Indexed', parallelism: 2, completions: 2, status };
    given(aJob({ ...rest, podFailurePolicy, successPolicy: { rules: [led] } }))
      .and(aSucceededPod({ index: 0 }), aRunningPod({ name: 'runs', index: 1 }))
      .when(null)
      .recorded()
      .when(aFailedPod({ name: 'runs', index: 1, exits: { main: 143 } }))
      .thenReports('Normal Completed: Job completed');
  });

  it('count as failed if they were already being deleted before (J-4.6)', () => {
    jobWith(led)
      .and(aTerminatingPod({ index: 1 }), aSucceededPod({ index: 0 }))
      .when(null)
      .recorded()
      .when(null)
      .thenStatus({ ...isMet(0), failed: 1 });
  });
});
