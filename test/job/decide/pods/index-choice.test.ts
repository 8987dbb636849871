import { describe, expect, it } from '@jest/globals';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  aTerminatingPod,
  at,
  type JobFields,
  type PodSeen,
} from '../../../support/builders.ts';
import { creationsIn, deletionsIn, given, writtenStatus, type Outcome } from '../../../support/given.ts';

const status = { startTime: at(-60), ready: 0, terminating: 0 };
const indexed: JobFields = { completionMode: 'Indexed', parallelism: 3, completions: 6, status };
const perIndex: JobFields = { ...indexed, backoffLimitPerIndex: 5, status: { ...status, failedIndexes: '' } };

function after(job: JobFields, pods: PodSeen[], moment?: { after: number }): Outcome {
  return given(aJob(job))
    .and(...pods)
    .when(null, moment);
}

function chosen({ verdict }: Outcome): (number | undefined)[] {
  return creationsIn(verdict).map(({ index }) => index);
}

function deleted({ verdict }: Outcome): string[] {
  return deletionsIn(verdict);
}

describe('the indexes that get a pod (J-5.16)', () => {
  it.each<{ which: string; job: JobFields; pods: PodSeen[]; indexes: number[] }>([
    { which: 'the lowest indexes', job: indexed, pods: [], indexes: [0, 1, 2] },
    {
      which: 'never completed indexes',
      job: { ...indexed, status: { ...status, completedIndexes: '0,2', succeeded: 2 } },
      pods: [],
      indexes: [1, 3, 4],
    },
    {
      which: 'never failed indexes',
      job: { ...perIndex, status: { ...status, failedIndexes: '0,2' } },
      pods: [],
      indexes: [1, 3, 4],
    },
    {
      which: 'never those with an active pod',
      job: indexed,
      pods: [aRunningPod({ index: 0 }), aRunningPod({ index: 2 })],
      indexes: [1],
    },
    {
      which: 'also those whose pod is being deleted, without waiting for the deletion (J-5.37)',
      job: indexed,
      pods: [aTerminatingPod({ index: 0 })],
      indexes: [0, 1, 2],
    },
    {
      which: 'never those whose pod is being deleted, where only failed pods are replaced (J-5.37)',
      job: { ...indexed, podReplacementPolicy: 'Failed' },
      pods: [aTerminatingPod({ index: 0 })],
      indexes: [1, 2],
    },
    {
      which: 'those after their back-off, and a waiting index keeps its place (J-5.17)',
      job: perIndex,
      pods: [aFailedPod({ index: 0, finished: -10 }), aFailedPod({ index: 1, finished: -9 })],
      indexes: [0, 2],
    },
  ])('are the indexes that Kubernetes chooses: $which', ({ job, pods, indexes }) => {
    expect(chosen(after(job, pods))).toEqual(indexes);
  });

  it('are none when no index remains to run', () => {
    after({ ...perIndex, completions: 2, status: { ...status, failedIndexes: '0', active: 1 } }, [
      aRunningPod({ index: 1 }),
    ])
      .thenCommands()
      .thenLookAgain(null);
  });

  it('are none while all indexes are in back-off, until the first back-off ends (J-5.44)', () => {
    const pods = [5, 2, 8].map((finished, index) => aFailedPod({ index, finished }));
    after(perIndex, pods, { after: 9 }).thenLookAgain(12).thenWaitsBy('J-5.44');
  });
});

describe('pods that no index needs (J-5.30)', () => {
  it.each<{ which: string; pods: PodSeen[]; gone: string[] }>([
    {
      which: 'no pod that is needed',
      pods: [aRunningPod({ index: 0 }), aRunningPod({ index: 1 }), aRunningPod({ index: 5 })],
      gone: [],
    },
    { which: 'a pod without index', pods: [aRunningPod({ name: 'a' })], gone: ['a'] },
    {
      which: 'a pod without index, even when the pod is ready',
      pods: [aRunningPod({ name: 'a', readySince: 5 }), aRunningPod({ index: 1 })],
      gone: ['a'],
    },
    { which: 'a pod beyond the completions', pods: [aRunningPod({ name: 'a', index: 6 })], gone: ['a'] },
    {
      which: 'all but the best pod of an index',
      pods: [
        aRunningPod({ name: 'a', index: 1 }),
        aRunningPod({ name: 'b', index: 1, readySince: 5 }),
        aRunningPod({ name: 'c', index: 1, unscheduled: true }),
        aRunningPod({ name: 'd', index: 2 }),
      ],
      gone: ['c', 'a'],
    },
    {
      which: 'all but the best pod of an index, in whatever order the pods were seen',
      pods: [aRunningPod({ name: 'b', index: 1, readySince: 5 }), aRunningPod({ name: 'a', index: 1 })],
      gone: ['a'],
    },
  ])('are the pods that Kubernetes chooses: $which', ({ pods, gone }) => {
    expect(deleted(after({ ...indexed, parallelism: 9 }, pods))).toEqual(gone);
  });

  it('are deleted before other pods when too many run (J-5.32)', () => {
    const pods = [
      aRunningPod({ name: 'young', index: 0 }),
      aRunningPod({ name: 'stray' }),
      aRunningPod({ name: 'old', index: 1, readySince: -9 }),
    ];
    const outcome = after({ ...indexed, parallelism: 1 }, pods);
    expect(deleted(outcome)).toEqual(['stray', 'young']);
    expect(writtenStatus(outcome.verdict)).toMatchObject({ active: 1, ready: 1, terminating: 2 });
  });

  it('do not exist in a NonIndexed Job', () => {
    expect(
      deleted(after({ parallelism: 2, completions: 4, status }, [aRunningPod(), aRunningPod()])),
    ).toEqual([]);
  });
});
