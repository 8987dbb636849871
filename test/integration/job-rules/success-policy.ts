import { describe, expect } from '@jest/globals';
import type { JobSpec, SuccessPolicy } from '../../../workflows/kubernetes/objects.ts';
import { eventually } from '../../support/eventually.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import type { PlayedJob } from '../../support/played-job.ts';
import { passedStatus } from '../../support/passed-status.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { cluster, installation, play } = onOwnPlayedCluster();
const story = sideBySide();

const underRules = (
  name: string,
  rules: SuccessPolicy['rules'],
  pods: number,
  spec: Partial<JobSpec> = {},
): Promise<PlayedJob> =>
  play(name, {
    completionMode: 'Indexed',
    parallelism: pods,
    completions: pods,
    successPolicy: { rules },
    ...spec,
  });

function succeededBy(rule: number): string[] {
  const why = `SuccessPolicy: Matched rules at index ${rule}`;
  return [`SuccessCriteriaMet=True ${why}`, `Complete=True ${why}`];
}

describe('a rule of indexes', () => {
  story(
    'is met when all of them succeeded, while others run; those are deleted uncounted (J-6.31)',
    async () => {
      const job = await underRules('listed', [{ succeededIndexes: '1' }], 2);
      await job.shows({ active: 2 });
      await job.succeed(1);
      await job.shows({ succeeded: 1, completedIndexes: '1' });
      await passedStatus(installation(), job, { terminating: 1, succeeded: 1, completedIndexes: '1' });
      expect(await job.conditions()).toEqual(succeededBy(0));
      expect((await job.now()).status?.completionTime).toBeDefined();
      await eventually('the Event', 10, async () =>
        (await cluster().eventsOn(job.created)).includes('Completed: Job completed') ? true : undefined,
      );
    },
  );

  story('with a count is met by that many of its indexes (J-6.31)', async () => {
    const job = await underRules('some-of', [{ succeededIndexes: '0-2', succeededCount: 2 }], 4);
    await job.shows({ active: 4 });
    await job.succeed(3);
    await job.succeed(0);
    await job.shows({ active: 2, succeeded: 2, completedIndexes: '0,3' });
    expect(await job.conditions()).toEqual([]);
    await job.succeed(2);
    await job.shows({ succeeded: 3, completedIndexes: '0,2,3' });
    expect(await job.conditions()).toEqual(succeededBy(0));
  });

  story('gives the reason even when the last index completes the Job (J-3.52)', async () => {
    const job = await underRules('all-of', [{ succeededIndexes: '0' }], 1);
    await job.succeed(0);
    await job.shows({ succeeded: 1, completedIndexes: '0' });
    expect(await job.conditions()).toEqual(succeededBy(0));
  });
});

describe('a rule of a count alone', () => {
  story('is met by that many of any indexes (J-6.31)', async () => {
    const job = await underRules('count', [{ succeededCount: 3 }], 5);
    await job.shows({ active: 5 });
    await Promise.all([job.succeed(0), job.succeed(4)]);
    await job.shows({ active: 3, succeeded: 2, completedIndexes: '0,4' });
    await job.succeed(2);
    await job.shows({ succeeded: 3, completedIndexes: '0,2,4' });
    await passedStatus(installation(), job, { terminating: 2, succeeded: 3, completedIndexes: '0,2,4' });
    expect(await job.conditions()).toEqual(succeededBy(0));
  });
});

describe('a Job with a success policy', () => {
  story('names the first rule that is met (J-6.31)', async () => {
    const job = await underRules('second', [{ succeededIndexes: '0' }, { succeededIndexes: '1' }], 3);
    await job.succeed(1);
    await job.shows({ succeeded: 1, completedIndexes: '1' });
    expect(await job.conditions()).toEqual(succeededBy(1));
  });

  story('is complete when the pods that it deleted are gone, and not before (J-6.39)', async () => {
    const job = await underRules('lasting', [{ succeededCount: 1 }], 2);
    const running = await job.at(1);
    await job.kubelet.bind(running.metadata.name);
    await job.kubelet.ready(running.metadata.name);
    await job.shows({ active: 2, ready: 1 });
    await job.succeed(0);
    await job.shows({ terminating: 1, succeeded: 1, completedIndexes: '0' });
    expect(await job.conditions()).toEqual(succeededBy(0).slice(0, 1));
    await job.kubelet.finishDeletion(running.metadata.name);
    await job.shows({ succeeded: 1, completedIndexes: '0' });
    expect(await job.conditions()).toEqual(succeededBy(0));
  });

  story('fails when its indexes failed, whether it is met or not (J-3.54)', async () => {
    const job = await underRules('too-late', [{ succeededCount: 1 }], 2, { backoffLimitPerIndex: 0 });
    await job.shows({ active: 2, failedIndexes: '' });
    await job.fail(0);
    await job.shows({ active: 1, failed: 1, failedIndexes: '0' });
    await job.succeed(1);
    await job.shows({ succeeded: 1, failed: 1, completedIndexes: '1', failedIndexes: '0' });
    expect((await job.conditions()).at(-1)).toBe('Failed=True FailedIndexes: Job has failed indexes');
  });
});
