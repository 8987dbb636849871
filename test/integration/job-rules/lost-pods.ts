import { describe, expect } from '@jest/globals';
import { RESERVED_FINALIZER } from '../../../workflows/kubernetes/names.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { eventually } from '../../support/eventually.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import { playKubelet, type PlayedKubelet } from '../../support/played-kubelet.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { cluster, play } = onOwnPlayedCluster();
const story = sideBySide();
const kubelet = (): PlayedKubelet => playKubelet(cluster().client);

const podName = (pod: Pod | undefined): string => pod?.metadata.name ?? '';
const HOLD = 'acme.io/hold';

function freed(name: string): Promise<Pod> {
  return eventually(`pod ${name} is released`, 20, async () => {
    const pod = await cluster().pod(name);
    return pod?.metadata.finalizers?.includes(RESERVED_FINALIZER) === true ? undefined : pod;
  });
}

function gone(name: string): Promise<true> {
  return eventually(`pod ${name} is gone`, 20, async () =>
    (await cluster().pod(name)) === undefined ? true : undefined,
  );
}

describe('a Job that is deleted', () => {
  for (const policy of ['Background', 'Foreground', 'Orphan'] as const)
    story(`(${policy}) releases its pods, which did not end and are not counted (J-4.17)`, async () => {
      const name = `deleted-${policy.toLowerCase()}`;
      const job = await play(name, { parallelism: 2 });
      await job.shows({ active: 2 });
      await cluster().deleteJob(name, policy);
      await eventually('the Job and its finalizers are gone', 20, async () => {
        const pods = await cluster().listPods(name);
        const kept = policy === 'Orphan' ? 2 : 0;
        const isFree = pods.every(({ metadata }) => metadata.finalizers === undefined);
        return (await cluster().job(name)) === undefined && isFree && pods.length === kept ? true : undefined;
      });
    });
});

describe('a running pod that another client deletes', () => {
  story('counts as failed at once and is replaced at once (J-4.19)', async () => {
    const job = await play('replaced-at-once');
    const [pod] = await job.some(1);
    await kubelet().bind(podName(pod));
    await kubelet().ready(podName(pod));
    await job.shows({ active: 1, ready: 1 });
    await cluster().deletePod(podName(pod), 30);
    await job.shows({ active: 1, failed: 1, terminating: 1 });
    await freed(podName(pod));
    await kubelet().finishDeletion(podName(pod));
    await job.shows({ active: 1, failed: 1 });
  });

  story('under podReplacementPolicy Failed is waited for, then counted and replaced (J-5.20)', async () => {
    const job = await play('waited-for', { podReplacementPolicy: 'Failed' });
    const [pod] = await job.some(1);
    await kubelet().bind(podName(pod));
    await kubelet().run(podName(pod));
    await job.shows({ active: 1 });
    await cluster().deletePod(podName(pod), 30);
    await job.shows({ terminating: 1 });
    await kubelet().fail(podName(pod), { exitCodes: { main: 143 } });
    await job.shows({ active: 1, failed: 1 });
  });

  story('by force is counted once and released (J-4.21)', async () => {
    const job = await play('forced');
    const [pod] = await job.some(1);
    await kubelet().bind(podName(pod));
    await job.shows({ active: 1 });
    await cluster().deletePod(podName(pod), 0);
    await gone(podName(pod));
    await job.shows({ active: 1, failed: 1 });
  });

  story('by eviction is a disruption that a policy may ignore (J-6.10)', async () => {
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }];
    const job = await play('evicted', { backoffLimit: 0, podFailurePolicy: { rules } });
    const [pod] = await job.some(1);
    await kubelet().bind(podName(pod));
    await kubelet().run(podName(pod));
    await job.shows({ active: 1 });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: podName(pod) } };
    const path = `/api/v1/namespaces/default/pods/${podName(pod)}/eviction`;
    await cluster().client.request({ method: 'POST', path, body: eviction });
    await job.shows({ terminating: 1 });
    await kubelet().fail(podName(pod), { exitCodes: { main: 137 } });
    await job.shows({ active: 1 });
    const [next] = await job.some(1);
    await job.succeed(next ?? 0);
    await job.shows({ succeeded: 1 });
  });

  story('because its node is gone is counted once and released (J-15.5)', async () => {
    const job = await play('node-gone');
    const [pod] = await job.some(1);
    await kubelet().bind(podName(pod), 'gone');
    await job.shows({ active: 1 });
    const reason = 'DeletionByPodGC';
    await kubelet().fail(podName(pod), {
      exitCodes: {},
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason }],
    });
    await cluster().deletePod(podName(pod), 0);
    await gone(podName(pod));
    await job.shows({ active: 1, failed: 1 });
  });
});

describe('a pod with the reserved finalizer that belongs to no unfinished Job of ours', () => {
  story('loses our finalizer when it has no controller; other finalizers stay (J-3.46, J-15.8)', async () => {
    await cluster().createPod('stray', { finalizers: [HOLD, RESERVED_FINALIZER] });
    const pod = await freed('stray');
    expect(pod.metadata.finalizers).toEqual([HOLD]);
  });

  story('loses our finalizer when its Job does not exist (J-15.2)', async () => {
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'never', uid: 'never', controller: true };
    await cluster().createPod('widow', { ownerReferences: [owner], finalizers: [HOLD, RESERVED_FINALIZER] });
    expect((await freed('widow')).metadata.finalizers).toEqual([HOLD]);
  });

  story(
    'keeps our finalizer under a Job of another manager, and under another controller (J-3.46)',
    async () => {
      const foreign = await play('managed-by-others', { managedBy: 'acme.io/other' });
      const { uid, name } = foreign.created.metadata;
      const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true };
      await cluster().createPod('theirs', { ownerReferences: [owner], finalizers: [RESERVED_FINALIZER] });
      const other = { ...owner, apiVersion: 'acme.io/v1', uid: 'acme' };
      await cluster().createPod('another', { ownerReferences: [other], finalizers: [RESERVED_FINALIZER] });
      await cluster().createPod('witness', { finalizers: [HOLD, RESERVED_FINALIZER] });
      await freed('witness');
      for (const kept of ['theirs', 'another'])
        expect((await cluster().pod(kept))?.metadata.finalizers).toEqual([RESERVED_FINALIZER]);
    },
  );
});

describe('fields of a Job written by others', () => {
  story('survive our status writes, with or without conflicts (J-1.23, J-1.25)', async () => {
    const job = await play('annotated', { parallelism: 3, completions: 3 });
    await job.shows({ active: 3 });
    const noted = { type: 'acme.io/Noted', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
    await cluster().client.request({
      method: 'PATCH',
      path: '/apis/batch/v1/namespaces/default/jobs/annotated/status',
      body: { metadata: { labels: { team: 'blue' } }, status: { conditions: [noted] } },
      contentType: 'application/merge-patch+json',
    });
    await cluster().patchJob('annotated', { metadata: { finalizers: [HOLD] } });
    for (const [at, pod] of (await job.some(3)).entries()) {
      await Promise.all([
        job.succeed(pod),
        ...Array.from({ length: 10 }, (_none, each) =>
          cluster().patchJob('annotated', { metadata: { annotations: { step: `${at}.${each}` } } }),
        ),
      ]);
    }
    const { metadata, status } = await job.shows({ succeeded: 3 });
    expect(metadata).toMatchObject({ labels: { team: 'blue' }, finalizers: [HOLD] });
    expect(metadata.annotations?.['step']).toMatch(/^2\./);
    expect(status?.conditions?.map(({ type }) => type)).toEqual([
      'acme.io/Noted',
      'SuccessCriteriaMet',
      'Complete',
    ]);
    await cluster().patchJob('annotated', { metadata: { finalizers: null } });
  });
});
