import { describe, expect, it } from '@jest/globals';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  at,
  START,
  type JobFields,
  type PodSeen,
} from '../../../support/builders.ts';
import { given, givenState } from '../../../support/given.ts';

const running = { startTime: at(-60), ready: 0, terminating: 0 };

describe('the recorded reason for creating, deleting or awaiting pods', () => {
  const two = { parallelism: 2, completions: 4, status: running };
  const indexed = { ...two, completionMode: 'Indexed' };
  const wrote = 'J-3.50: active, ready, terminating or a condition changed';
  const counted = (failed: number): string => `J-4.11: counted now: 0 succeeded, ${failed} failed`;

  it.each<{ situation: string; job: JobFields; pods: PodSeen[]; because: string }>([
    {
      situation: 'pods are missing (J-5.13)',
      job: { ...two, status: { ...running, succeeded: 1 } },
      pods: [aRunningPod()],
      because: 'J-5.13: 1 missing: 2 wanted, 1 active, 1 succeeded',
    },
    {
      situation: 'indexes are missing (J-5.16)',
      job: indexed,
      pods: [],
      because: 'J-5.13: 2 missing (index 0,1): 2 wanted, 0 active, 0 succeeded',
    },
    {
      situation: 'too many pods run (J-5.12)',
      job: two,
      pods: [aRunningPod(), aRunningPod(), aRunningPod()],
      because: 'J-5.12: 3 active, 2 wanted',
    },
    {
      situation: 'more have succeeded than were wanted (J-6.33)',
      job: { ...two, completions: 1, status: { ...running, succeeded: 2 } },
      pods: [aRunningPod()],
      because: 'J-5.12: 1 active, 0 wanted',
    },
    {
      situation: 'two pods have the same index (J-5.30)',
      job: indexed,
      pods: [aRunningPod({ index: 0 }), aRunningPod({ index: 0 })],
      because: 'J-5.30: 2 active, 2 wanted, 1 of no index that is missing',
    },
    {
      situation: 'the Job is suspended (J-6.41)',
      job: { ...two, suspend: true },
      pods: [aRunningPod()],
      because: 'J-6.41: the Job is suspended',
    },
  ])('names the situation, with its rule: $situation', ({ job, pods, because }) => {
    const { verdict } = given(aJob(job))
      .and(...pods)
      .when(null);
    expect(verdict.commands[0]?.why).toEqual({ rule: because.slice(0, 6), message: because.slice(8) });
  });

  it('names the back-off, both while it lasts and after its end (J-5.40)', () => {
    const job = given(aJob({ ...two, parallelism: 1 })).and(aFailedPod({ finished: 0 }));
    job
      .when(null, { after: 9 })
      .thenBecause(counted(1), counted(1))
      .thenWaitsBy('J-5.40', 'no pod before 2026-03-01T12:00:10.000Z: back-off after 1 failure in a row');
    job
      .when(null, { after: 10 })
      .thenBecause(
        'J-5.40: 1 missing: 1 wanted, 0 active, 0 succeeded; the back-off after 1 failure is over',
        counted(1),
        counted(1),
      );
  });

  it('names the back-off after several failures (J-5.40)', () => {
    const job = given(aJob({ ...two, parallelism: 1 })).and(
      aFailedPod({ finished: -9 }),
      aFailedPod({ finished: 0 }),
    );
    job
      .when(null)
      .thenWaitsBy('J-5.40', 'no pod before 2026-03-01T12:00:20.000Z: back-off after 2 failures in a row');
    job
      .when(null, { after: 20 })
      .thenBecause(
        'J-5.40: 1 missing: 1 wanted, 0 active, 0 succeeded; the back-off after 2 failures is over',
        counted(2),
        counted(2),
      );
  });

  it('names the back-off of an index (J-5.44)', () => {
    given(aJob({ ...indexed, parallelism: 4, backoffLimitPerIndex: 2 }))
      .and(
        aRunningPod({ index: 0 }),
        aFailedPod({ index: 1, finished: 0, failureCount: 1 }),
        aRunningPod({ index: 2 }),
        aFailedPod({ index: 3, finished: 0 }),
      )
      .when(null)
      .thenBecause(wrote)
      .thenLookAgain(10)
      .thenWaitsBy('J-5.44', 'no pod before 2026-03-01T12:00:10.000Z: back-off of index 3');
  });

  it('names the refusal when the API refused the last command (J-3.2)', () => {
    const retry = { errors: 2, until: START + 2000, message: 'quota' };
    const waits = (kind: string): string =>
      `no ${kind} before 2026-03-01T12:00:02.000Z: 2 errors of the API, the last: quota`;
    const missing = given(aJob(two)).and(aRunningPod()).state;
    const surplus = given(aJob({ ...two, parallelism: 0 })).and(aRunningPod()).state;
    for (const state of [missing, surplus])
      for (const kind of ['CreatePods', 'DeletePods'])
        givenState({ ...state, retries: { [kind]: retry } })
          .when(null)
          .thenBecause(wrote)
          .thenStatus({ active: 1, terminating: 0 })
          .thenLookAgain(2)
          .thenWaitsBy('J-3.2', waits(kind));
  });

  it('is absent when enough pods run, despite earlier refusals', () => {
    const retries = { CreatePods: { errors: 1, until: START + 1000, message: 'quota' } };
    const { state } = given(aJob({ ...two, parallelism: 1 })).and(aRunningPod());
    givenState({ ...state, retries })
      .when(null)
      .thenWaitsBy(null)
      .thenLookAgain(null);
  });
});

describe('the pods that one sync deletes', () => {
  it('are at most as many as maxPodsPerSync, and the other surplus pods still count as active (J-5.12)', () => {
    given(aJob({ parallelism: 1, completions: 9, status: running }))
      .and(aRunningPod(), aRunningPod({ readySince: 1 }), aRunningPod(), aRunningPod())
      .under({ maxPodsPerSync: 2 })
      .when(null)
      .thenCommands('-2', 'status')
      .thenStatus({ active: 2, ready: 1, terminating: 2 });
  });

  it('do not include pods of a work queue after its first success (J-5.11)', () => {
    given(aJob({ parallelism: 1, status: { ...running, succeeded: 1 } }))
      .and(aRunningPod(), aRunningPod())
      .when(null)
      .thenCommands('status')
      .thenStatus({ active: 2 });
  });

  it('may be all ready pods, so that no pod is then ready (J-5.33)', () => {
    given(aJob({ parallelism: 0, completions: 9, status: running }))
      .and(aRunningPod({ readySince: 1 }), aRunningPod({ readySince: 1 }))
      .when(null)
      .thenStatus({ ready: 0, terminating: 2 });
  });
});

describe('the pods that one sync creates', () => {
  it('are one pod when parallelism is absent (J-1.2)', () => {
    given(aJob({ completions: 2 }))
      .when(null)
      .thenCommands('+1', 'status');
  });

  it('have ordinals that no earlier pod of the Job had (J-5.1)', () => {
    const { state } = given(aJob({ parallelism: 3, completions: 3 }));
    const { verdict } = givenState({ ...state, nextOrdinal: 4, spentOrdinals: [5, 7, 99] }).when(null);
    const [command] = verdict.commands;
    const ordinals = command?.kind === 'CreatePods' ? command.pods.map(({ ordinal }) => ordinal) : [];
    expect(ordinals).toEqual([4, 6, 8]);
  });

  it('are at most 500, and the next syncs create the other pods (J-5.15)', () => {
    given(aJob({ parallelism: 600, completions: 600 }))
      .when(null)
      .thenCommands('+500', 'status')
      .thenStatus({ active: 500 });
    const pods = Array.from({ length: 500 }, () => aRunningPod());
    given(aJob({ parallelism: 600, completions: 600, status: { ...running, active: 500 } }))
      .and(...pods)
      .when(null)
      .thenCommands('+100', 'status');
  });

  it('are as many as a changed parallelism allows, and parallelism 0 also deletes the running pods (J-5.35)', () => {
    const job = aJob({ parallelism: 1, completions: 9, status: { ...running, active: 1 } });
    const begun = given(job).and(aRunningPod({ ready: false }));
    begun
      .when(aJob({ parallelism: 3, completions: 9, generation: 2, status: { ...running, active: 1 } }))
      .thenCommands('+2', 'status');
    begun
      .when(aJob({ parallelism: 0, completions: 9, generation: 2, status: { ...running, active: 1 } }))
      .thenCommands('-1', 'status')
      .thenStatus({ terminating: 1 });
  });

  it('are none during the back-off, in which surplus pods are still deleted (J-5.43)', () => {
    const failed = aFailedPod({ finished: 0 });
    given(aJob({ parallelism: 3, completions: 9, status: running }))
      .and(failed, aRunningPod())
      .when(null)
      .thenCommands('~1', 'status')
      .thenLookAgain(10);
    given(aJob({ parallelism: 1, completions: 9, status: running }))
      .and(failed, aRunningPod(), aRunningPod())
      .when(null)
      .thenCommands('-1', '~1', 'status');
  });
});
