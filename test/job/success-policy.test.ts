import { describe, it } from '@jest/globals';
import type { SuccessPolicy } from '../../workflows/kubernetes/objects.ts';
import { aJob, at, aRunningPod, aSucceededPod } from '../support/builders.ts';
import { given, type Given } from '../support/given.ts';

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
  it('is met by all listed indexes', () => {
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

  it('is met by enough of the listed ones', () => {
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

  it('is met by any so many, and tells the first rule that is', () => {
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

  it('is not asked before an index has succeeded', () => {
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

  it('skips a rule that lists no index of the Job', () => {
    jobWith({ succeededIndexes: '7-9', succeededCount: 0 })
      .and(...succeeded(0))
      .when(null)
      .thenCommands('~1', 'status');
  });
});
