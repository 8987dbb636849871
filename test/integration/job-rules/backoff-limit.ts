import { describe, expect } from '@jest/globals';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { recordedDelays, podEnd, podStart } from '../../support/delays.ts';
import { eventually } from '../../support/eventually.ts';
import { passedStatus } from '../../support/passed-status.ts';
import { conditionsIn, type PlayedJob } from '../../support/played-job.ts';
import type { PlayedEnd } from '../../support/played-kubelet.ts';
import { sideBySide } from '../../support/side-by-side.ts';
import { BACKOFF_MS, lateEnd, longBackoff } from './long-backoff.ts';

const { cluster, installation, play } = longBackoff;
const story = sideBySide();

const EXCEEDED = 'BackoffLimitExceeded: Job has reached the specified backoff limit';
const FAILED = [`FailureTarget=True ${EXCEEDED}`, `Failed=True ${EXCEEDED}`];

async function failOne(job: PlayedJob, how?: PlayedEnd): Promise<Pod> {
  const [pod] = await job.some(1);
  if (pod === undefined) throw new Error('one pod was there');
  return job.fail(pod, how);
}

async function restart(job: PlayedJob, { metadata }: Pod, restartCount: number): Promise<void> {
  const status = {
    name: 'main',
    image: 'none',
    imageID: '',
    ready: false,
    restartCount,
    state: { running: {} },
  };
  await job.kubelet.report(metadata.name, { phase: 'Running', containerStatuses: [status] });
}

/** Delays in the ledger, from a pod's failure to the earliest next pod, in first delays; no pod came earlier. */
async function expectDelays(job: PlayedJob, expected: number[]): Promise<void> {
  const pods = await cluster().listPods(job.name);
  const failed = pods.filter(({ status }) => status?.phase === 'Failed');
  const delays = await eventually('each delay is recorded', 20, async () => {
    const found = await recordedDelays(installation(), job.created.metadata.uid);
    if (found.length < failed.length) throw new Error(`${found.length} of ${failed.length}`);
    return found;
  });
  const ends = failed.map(podEnd);
  expect(delays.map(({ until }, at) => (until - (ends[at] ?? 0)) / BACKOFF_MS)).toEqual(expected);
  const nexts = failed.map((pod) => pods[pods.indexOf(pod) + 1]);
  for (const [at, next] of nexts.entries())
    expect(next === undefined ? 0 : podStart(next)).toBeGreaterThanOrEqual(delays[at]?.until ?? Infinity);
}

describe('pods that are never restarted', () => {
  story('fail their Job when more pods failed than the limit allows (J-6.1)', async () => {
    const job = await play('over', { backoffLimit: 1 });
    await failOne(job);
    await job.shows({ active: 1, failed: 1 });
    expect(await job.conditions()).toEqual([]);
    await failOne(job);
    await job.shows({ failed: 2 });
    expect(await job.conditions()).toEqual(FAILED);
    expect(await cluster().listPods('over')).toHaveLength(2);
  });

  story('are deleted and counted when others exceed the limit (J-6.3)', async () => {
    const job = await play('together', { backoffLimit: 0, parallelism: 3, completions: 3 });
    await job.some(3);
    await failOne(job);
    await job.shows({ failed: 3 });
    expect(await job.conditions()).toEqual(FAILED);
    const between = await passedStatus(installation(), job, { terminating: 2, failed: 3 });
    expect(conditionsIn(between)).toEqual(FAILED.slice(0, 1));
  });
});

describe('a pod that fails while others are still being created', () => {
  story('fails its Job, and no pod keeps our finalizer (J-3.57)', async () => {
    const spec = { completionMode: 'Indexed', parallelism: 60, completions: 60, backoffLimit: 0 };
    const job = await play('early', spec);
    await failOne(job);
    await cluster().finished('early');
    expect(await job.conditions()).toEqual(FAILED);
    await eventually('every pod is released', 20, async () => {
      const pods = await cluster().listPods('early');
      return pods.every(({ metadata }) => metadata.finalizers === undefined) ? true : undefined;
    });
    expect(await job.active()).toEqual([]);
  });
});

describe('pods that are restarted in place', () => {
  story('fail their Job when their restarts together reach the limit (J-6.4)', async () => {
    const job = await play(
      'restarts',
      { backoffLimit: 2, parallelism: 2, completions: 2 },
      { restartPolicy: 'OnFailure' },
    );
    const [first, second] = await job.some(2);
    if (first === undefined || second === undefined) throw new Error('two pods were there');
    await restart(job, first, 1);
    await job.kubelet.ready(second.metadata.name);
    await job.shows({ active: 2, ready: 1 });
    expect(await job.conditions()).toEqual([]);
    await restart(job, second, 1);
    await job.shows({ failed: 2 });
    expect(await job.conditions()).toEqual(FAILED);
  });

  story('fail their Job at the first restart when none is allowed (J-6.4)', async () => {
    const job = await play('no-restart', { backoffLimit: 0 }, { restartPolicy: 'OnFailure' });
    const [pod] = await job.some(1);
    if (pod !== undefined) await restart(job, pod, 1);
    await job.shows({ failed: 1 });
    expect(await job.conditions()).toEqual(FAILED);
  });
});

describe('the delay before a failed pod is replaced', () => {
  story('doubles with each failure in a row, up to its limit (J-5.40)', async () => {
    const job = await play('growing', {});
    for (const failed of [1, 2, 3]) {
      await failOne(job, lateEnd());
      await job.shows({ active: 1, failed });
    }
    await expectDelays(job, [1, 2, 2]);
  });

  story('starts again after a success (J-5.42)', async () => {
    const job = await play('recovering', { completions: 2 });
    await failOne(job, lateEnd());
    await job.shows({ active: 1, failed: 1 });
    await failOne(job, lateEnd());
    await job.shows({ active: 1, failed: 2 });
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.kubelet.succeed(pod.metadata.name);
    await job.shows({ active: 1, succeeded: 1, failed: 2 });
    await failOne(job, lateEnd());
    await job.shows({ active: 1, succeeded: 1, failed: 3 });
    await expectDelays(job, [1, 2, 1]);
  });

  story('counts from the end of the containers, not from its observation (J-5.41)', async () => {
    const job = await play('seen-late', {});
    await failOne(job, { at: new Date(Date.now() - 60_000) });
    await job.shows({ active: 1, failed: 1 });
    await failOne(job, lateEnd());
    await job.shows({ active: 1, failed: 2 });
    const waited = await eventually('the second delay is recorded', 20, async () => {
      const delays = await recordedDelays(installation(), job.created.metadata.uid);
      return delays.length > 0 ? delays : undefined;
    });
    expect(waited.map(({ message }) => message)).toEqual([expect.stringContaining('2 failures in a row')]);
  });
});
