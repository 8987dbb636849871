import { describe, expect } from '@jest/globals';
import type { JobSpec, Pod } from '../../../workflows/kubernetes/objects.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import type { PlayedJob } from '../../support/played-job.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { cluster, play } = onOwnPlayedCluster();
const story = sideBySide();

/** A Job with two pods on a node, so that they stay while they are being deleted. */
async function withTwoPods(name: string, spec: Partial<JobSpec>): Promise<{ job: PlayedJob; pods: Pod[] }> {
  const job = await play(name, { parallelism: 2, completions: 2, ...spec });
  const pods = await job.some(2);
  await Promise.all(pods.map(({ metadata }) => job.kubelet.bind(metadata.name)));
  return { job, pods };
}

const remove = (pods: Pod[]): Promise<unknown> =>
  Promise.all(pods.map(({ metadata }) => cluster().deletePod(metadata.name)));

const MODES = ['NonIndexed', 'Indexed'] as const;

describe('a pod that is being deleted', () => {
  for (const completionMode of MODES) {
    story(
      `counts as failed, and is replaced before it is gone: TerminatingOrFailed, ${completionMode} (J-5.37)`,
      async () => {
        const { job, pods } = await withTwoPods(`early-${completionMode.toLowerCase()}`, { completionMode });
        await remove(pods);
        await job.shows({ active: 2, terminating: 2, failed: 2 });
        await Promise.all(pods.map((pod) => job.fail(pod)));
        await job.shows({ active: 2, failed: 2 });
      },
    );

    story(`is not replaced until it has failed: Failed, ${completionMode} (J-5.13, J-5.16)`, async () => {
      const spec = { completionMode, podReplacementPolicy: 'Failed' };
      const { job, pods } = await withTwoPods(`late-${completionMode.toLowerCase()}`, spec);
      await remove(pods);
      await job.shows({ terminating: 2 });
      expect(await cluster().listPods(job.name)).toHaveLength(2);
      await Promise.all(pods.map((pod) => job.fail(pod)));
      await job.shows({ active: 2, failed: 2 });
      expect(await cluster().listPods(job.name)).toHaveLength(4);
    });
  }

  story('is not replaced earlier under a failure policy (J-0.4)', async () => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [5] } }];
    const { job, pods } = await withTwoPods('by-policy', { podFailurePolicy: { rules } });
    await remove(pods);
    await job.shows({ terminating: 2 });
    await Promise.all(pods.map((pod) => job.fail(pod)));
    await job.shows({ active: 2, failed: 2 });
  });

  story('may still succeed when only failed pods are replaced (J-5.37)', async () => {
    const { job, pods } = await withTwoPods('saved', { podReplacementPolicy: 'Failed' });
    await remove(pods);
    await job.shows({ terminating: 2 });
    await Promise.all(pods.map((pod) => job.succeed(pod)));
    await job.shows({ succeeded: 2 });
    expect((await job.conditions()).at(-1)).toMatch(/^Complete=True CompletionsReached/);
  });

  story('is not counted as succeeded when it was replaced already (J-4.19)', async () => {
    const { job, pods } = await withTwoPods('in-vain', {});
    await remove(pods);
    await job.shows({ active: 2, terminating: 2, failed: 2 });
    await Promise.all(pods.map((pod) => job.succeed(pod)));
    await job.shows({ active: 2, failed: 2 });
  });

  story('is replaced uncounted when it vanishes before its end was observed (J-4.18)', async () => {
    const { job, pods } = await withTwoPods('stripped', { podReplacementPolicy: 'Failed' });
    const [pod] = pods;
    const name = pod?.metadata.name ?? '';
    await cluster().client.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/default/pods/${name}`,
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    });
    await cluster().deletePod(name, 0);
    const kept = pods[1]?.metadata.uid;
    await job.shows({ active: 2 });
    const active = (await job.some(2)).map(({ metadata }) => metadata.uid);
    expect(active).toContain(kept);
    expect(active).not.toContain(pod?.metadata.uid);
  });
});

describe('the end of a Job waits for terminating pods (J-6.39)', () => {
  story('when it fails', async () => {
    const { job, pods } = await withTwoPods('failing', { backoffLimit: 0 });
    const [failing, running] = pods;
    if (failing === undefined || running === undefined) throw new Error('two pods were there');
    await job.fail(failing);
    await job.shows({ terminating: 1, failed: 2 });
    expect(await job.conditions()).toEqual([
      expect.stringMatching(/^FailureTarget=True BackoffLimitExceeded/),
    ]);
    await job.succeed(running);
    await job.shows({ failed: 2 });
    expect((await job.conditions())[1]).toMatch(/^Failed=True BackoffLimitExceeded/);
  });

  story('when it is scaled down to its successes', async () => {
    const { job, pods } = await withTwoPods('scaled', { completionMode: 'Indexed' });
    await job.succeed(0);
    await cluster().patchJob('scaled', { spec: { parallelism: 1, completions: 1 } });
    await job.shows({ terminating: 1, succeeded: 1, completedIndexes: '0' });
    expect(await job.conditions()).toEqual([
      expect.stringMatching(/^SuccessCriteriaMet=True CompletionsReached/),
    ]);
    const last = pods.find(({ spec }) => spec.hostname === 'scaled-1');
    await job.kubelet.finishDeletion(last?.metadata.name ?? '');
    await job.shows({ succeeded: 1, completedIndexes: '0' });
    expect((await job.conditions())[1]).toMatch(/^Complete=True CompletionsReached/);
  });
});
