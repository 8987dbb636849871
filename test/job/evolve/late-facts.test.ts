import { describe, expect, it } from '@jest/globals';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import { translatePod } from '../../../services/ingester/translate/translate.ts';
import type { JobStatus } from '../../../workflows/kubernetes/objects.ts';
import {
  aFailedPod,
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  podDeletion,
  nextVersion,
  type JobSeen,
} from '../../support/builders.ts';
import { given } from '../../support/given.ts';
import { createModelCluster, deliverAll, settleDown, runWorkflowTask } from '../../support/model-cluster.ts';
import { deletePod } from '../../support/model-cluster-api.ts';
import { stepPod } from '../../support/model-cluster-kubelet.ts';
import { dispatch, SCOPE, watch } from '../../support/model-cluster-ledger.ts';
import { doAsUser } from '../laws/crash-story.ts';

const two = { parallelism: 2, completions: 4 };

function aJobWith(status: JobStatus): JobSeen {
  return aJob({ ...two, status: { startTime: at(0), ready: 0, terminating: 0, ...status } });
}

describe('pods that were deleted while no watch was open', () => {
  it('are removed from the state, although all their deletions have the version of one list', () => {
    const [one, other] = [aRunningPod(), aRunningPod()];
    const list = { unseen: true, version: nextVersion() };
    const { state } = given(aJob(two)).and(one, other, podDeletion(one, list), podDeletion(other, list));
    expect(state.pods).toEqual({});
  });

  it('are removed from the state, although the list that misses them has the version of the last observed pod', () => {
    const [pod, version] = [aRunningPod(), nextVersion()];
    const { state } = given(aJob(two)).and(
      pod,
      aRunningPod({ name: 'newest', version }),
      podDeletion(pod, { unseen: true, version }),
    );
    expect(Object.keys(state.pods)).toEqual(['uid-of-newest']);
  });

  it('are still counted when they had finished', () => {
    const pod = aSucceededPod();
    given(aJob(two))
      .and(pod, podDeletion(pod))
      .when(null)
      .thenCommands('+2', 'status')
      .thenStatus({ succeeded: 1 });
  });
});

describe('an observed status counter that is higher than before', () => {
  it('counts pods that were waiting to be counted, the oldest first', () => {
    const [first, second] = [aFailedPod(), aFailedPod()];
    const { state } = given(aJobWith({})).and(first, second, aJobWith({ failed: 1 }));
    expect(state.uncounted.failed).toEqual([second.pod.uid]);
  });

  it('counts running pods as failed when the Job fails', () => {
    const running = aRunningPod();
    const { state } = given(aJobWith({})).and(
      running,
      aJobWith({ failed: 1, conditions: [{ type: 'FailureTarget', status: 'True' }] }),
    );
    expect(state.pods[running.pod.uid]).toMatchObject({ counted: true });
  });

  it('counts no running pod while the Job does not fail', () => {
    const running = aRunningPod();
    const { state } = given(aJobWith({})).and(running, aJobWith({ failed: 1 }));
    expect(state.pods[running.pod.uid]).not.toHaveProperty('counted');
  });

  it('counts no pod of Jobledger when it counts the pods that the built-in controller had listed (J-4.3)', () => {
    const done = aSucceededPod();
    const { state } = given(aJobWith({ uncountedTerminatedPods: { succeeded: ['before-us'] } })).and(
      done,
      aJobWith({ succeeded: 1, uncountedTerminatedPods: {} }),
    );
    expect(state.uncounted.succeeded).toEqual([done.pod.uid]);
  });
});

describe('the state of a Job whose facts arrive in an unexpected order', () => {
  it('counts a pod that was observed before its Job', () => {
    const { state } = given(aSucceededPod()).and(aJob(two));
    expect(state.uncounted.succeeded).toHaveLength(1);
  });

  it('counts a terminating pod as failed after podReplacementPolicy changes to TerminatingOrFailed (J-0.4)', () => {
    given(aJob({ ...two, podReplacementPolicy: 'Failed' }))
      .and(aTerminatingPod(), aJob({ ...two, podReplacementPolicy: 'TerminatingOrFailed', generation: 2 }))
      .when(null)
      .thenCommands('+2', '~1', 'status')
      .thenStatus({ failed: 1 });
  });

  it('counts a pod as failed when the pod was terminating before it succeeded (J-4.6, B-14)', () => {
    const pod = aTerminatingPod({ name: 'late' });
    const { state } = given(aJob(two)).and(pod, aSucceededPod({ name: 'late', deleted: -3600 }));
    expect(state.uncounted).toEqual({ succeeded: [], failed: [pod.pod.uid] });
  });
});

describe('the end of a pod that the watch missed, and that is read after newer versions of another pod', () => {
  const end = aSucceededPod({ name: 'early', version: '120' });
  const before = given(aJob({ ...two, version: '100' })).and(
    aRunningPod({ name: 'early', version: '110' }),
    aFailedPod({ name: 'other', version: '130' }),
  );

  it('is folded once', () => {
    const { state } = before.and(end);
    expect(state.uncounted.succeeded).toEqual([end.pod.uid]);
    expect(fold(state, [end])).toEqual(state);
  });

  it('is counted in the status', () => {
    before.and(end).when(null).thenCommands('+2', '~2', 'status').thenStatus({ succeeded: 1, failed: 1 });
  });

  it('is a repeat after the pod is counted and deleted', () => {
    const { state } = before.and(end, podDeletion(end, { version: '140' }), aJobWith({ succeeded: 1 }));
    expect(state.pods).not.toHaveProperty(end.pod.uid);
    expect(fold(state, [end])).toEqual(state);
  });
});

describe('a pod creation whose outcome was lost', () => {
  it('leads to no second pod: the first pod is found by its name, and older facts about it arrive later', async () => {
    const cluster = createModelCluster({ parallelism: 1, completions: 2 }, () => 'Succeeded');
    const { api, ledger, workflow } = cluster;
    deliverAll(cluster);
    await runWorkflowTask(cluster, { decision: 0, command: 1, records: false });
    const [name = ''] = api.pods.keys();
    for (let step = 0; step < 2; step += 1) stepPod(api, name, cluster.fate);
    watch(ledger, api, 'pods', Infinity);
    stepPod(api, name, cluster.fate);
    await runWorkflowTask(cluster);
    expect(api.created).toHaveLength(1);
    workflow.inbox.push(...dispatch(ledger, Infinity, false));
    await runWorkflowTask(cluster);
    expect(api.created).toHaveLength(1);
    await settleDown(cluster);
    expect(api.created).toHaveLength(2);
    expect(api.job?.status).toMatchObject({ succeeded: 2 });
  });
});

describe('a pod that ends between the DELETE and the release by Jobledger', () => {
  it('counts as ended although its release is read later, so that its Job ends', async () => {
    const cluster = createModelCluster({ parallelism: 2, completions: 2, backoffLimit: 0 }, (creation) =>
      creation === 0 ? 'Failed' : 'Succeeded',
    );
    const { api, ledger, workflow } = cluster;
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    const [failing = '', other = ''] = api.pods.keys();
    for (const name of [failing, failing, failing, other, other]) stepPod(api, name, cluster.fate);
    deliverAll(cluster);
    api.trouble = ({ verb }) => {
      if (verb === 'put') stepPod(api, other, cluster.fate);
      return null;
    };
    await runWorkflowTask(cluster);
    // Its end comes in one batch. Its release comes in the next, and is no news.
    const unread = api.journal.pods.length - ledger.read.pods;
    watch(ledger, api, 'pods', unread - 1);
    workflow.inbox.push(...dispatch(ledger, Infinity, false));
    await runWorkflowTask(cluster);
    await settleDown(cluster);
    expect(api.job?.status?.conditions?.map(({ type }) => type)).toEqual(['FailureTarget', 'Failed']);
  });
});

describe('a deleted pod that disappears when Jobledger releases it', () => {
  it('is counted once, although its version before the release arrives later (J-3.24)', async () => {
    const cluster = createModelCluster({ parallelism: 1, completions: 1 }, () => 'Succeeded');
    const { api, ledger, workflow } = cluster;
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    const [pod] = api.pods.values();
    const { name = '', uid = '' } = pod?.metadata ?? {};
    for (let step = 0; step < 2; step += 1) stepPod(api, name, cluster.fate);
    deletePod(api, name, uid);
    stepPod(api, name, cluster.fate);
    watch(ledger, api, 'pods', Infinity);
    // The kubelet's last status of it is in no batch yet.
    stepPod(api, name, cluster.fate);
    workflow.inbox.push(...dispatch(ledger, Infinity, false));
    await runWorkflowTask(cluster);
    expect(api.job?.status).toMatchObject({ failed: 1 });
    await settleDown(cluster);
    expect(api.job?.status).toMatchObject({ failed: 1, succeeded: 1 });
  });

  it('is not counted again when a list from before its release is compared with the state afterwards (J-3.24)', async () => {
    const cluster = createModelCluster({ parallelism: 2, completions: 2 }, () => 'Succeeded');
    const { api, ledger, workflow } = cluster;
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    const [deleted, other] = [...api.pods.values()].map(({ metadata }) => metadata);
    if (deleted === undefined || other === undefined) throw new Error('two pods were created');
    for (const { name } of [deleted, deleted, other]) stepPod(api, name, cluster.fate);
    deletePod(api, deleted.name, deleted.uid);
    stepPod(api, deleted.name, cluster.fate);
    watch(ledger, api, 'pods', Infinity);
    workflow.inbox.push(...dispatch(ledger, Infinity, false));
    // The watch loses the kubelet's last status of the deleted pod.
    stepPod(api, deleted.name, cluster.fate);
    ledger.read.pods += 1;
    stepPod(api, other.name, cluster.fate);
    const listed = api.pods.get(deleted.name);
    const listedAt = String(api.version);
    await runWorkflowTask(cluster);
    expect(api.pods.has(deleted.name)).toBe(false);
    watch(ledger, api, 'pods', 1);
    if (listed !== undefined)
      for (const event of translatePod(SCOPE, ledger.live, listed, '', listedAt).events)
        ledger.events.push(event);
    workflow.inbox.push(...dispatch(ledger, Infinity, false));
    await runWorkflowTask(cluster);
    await settleDown(cluster);
    expect(api.job?.status).toMatchObject({ failed: 1, succeeded: 2 });
  });
});

describe('a pod that succeeds unobserved just before a suspension releases it', () => {
  it('is counted, because it had its finalizer when it succeeded (J-6.43)', async () => {
    const spec = { parallelism: 2, completions: 2, completionMode: 'Indexed' as const };
    const cluster = createModelCluster(spec, () => 'Succeeded');
    const { api, ledger, workflow } = cluster;
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    const [first = '', second = ''] = api.pods.keys();
    for (const name of [first, first, second, second]) stepPod(api, name, cluster.fate);
    doAsUser(cluster, { kind: 'spec', spec: { suspend: true } });
    deliverAll(cluster);
    stepPod(api, second, cluster.fate);
    await runWorkflowTask(cluster);
    // The watch reports its end first, and then its release.
    watch(ledger, api, 'pods', 1);
    workflow.inbox.push(...dispatch(ledger, Infinity, false));
    await settleDown(cluster);
    expect(api.job?.status).toMatchObject({ succeeded: 1, completedIndexes: '1' });
  });
});

describe('a pod that fails unobserved just before a suspension releases it', () => {
  it.each([0, 1])(
    'is counted whether or not its index may be retried: backoffLimitPerIndex %d (J-5.50)',
    async (limit) => {
      const spec = {
        parallelism: 1,
        completions: 1,
        completionMode: 'Indexed' as const,
        backoffLimit: 2_147_483_647,
        backoffLimitPerIndex: limit,
      };
      const cluster = createModelCluster(spec, () => 'Failed');
      const { api, ledger, workflow } = cluster;
      deliverAll(cluster);
      await runWorkflowTask(cluster);
      const [name = ''] = api.pods.keys();
      for (let step = 0; step < 2; step += 1) stepPod(api, name, cluster.fate);
      doAsUser(cluster, { kind: 'spec', spec: { suspend: true } });
      deliverAll(cluster);
      stepPod(api, name, cluster.fate);
      await runWorkflowTask(cluster);
      watch(ledger, api, 'pods', 1);
      workflow.inbox.push(...dispatch(ledger, Infinity, false));
      await settleDown(cluster);
      expect(workflow.state.delayed).toEqual({});
      expect(api.job?.status).toMatchObject({ failed: 1 });
    },
  );
});
