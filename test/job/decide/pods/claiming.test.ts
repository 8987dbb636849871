import { podFacts } from '../../../../workflows/job/observe/compact.ts';
import { describe, expect, it } from '@jest/globals';
import {
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  podObject,
  START,
  type JobFields,
  type PodFields,
} from '../../../support/builders.ts';
import { given, givenState } from '../../../support/given.ts';
import {
  createModelCluster,
  deliverAll,
  refuseChanges,
  trackedPods,
  runWorkflowTask,
  type ModelCluster,
} from '../../../support/model-cluster.ts';
import { setPod } from '../../../support/model-cluster-api.ts';

const one = { parallelism: 1, completions: 1 };
const orphan = { controller: 'none', untracked: true };
const finished = { startTime: at(-9), conditions: [{ type: 'Failed', status: 'True' }] };

function withPod(pod: PodFields, job: JobFields = one): ModelCluster {
  const cluster = createModelCluster(job, () => 'Succeeded');
  setPod(cluster.api, podObject(pod));
  deliverAll(cluster);
  return cluster;
}

describe('a Job that claims pods (J-3.31)', () => {
  it('adopts a matching pod without controller', () => {
    given(aJob(one)).and(aRunningPod(orphan)).when(null).thenCommands('adopt 1');
  });

  it("counts an adopted pod as the Job's own in the same sync", async () => {
    const cluster = withPod(orphan);
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(0);
    expect(cluster.api.job?.status).toMatchObject({ active: 1 });
    expect(trackedPods(cluster)).toHaveLength(1);
  });

  it('adopts a finished pod, and completes the Job with it (J-1.10)', async () => {
    const cluster = withPod({ ...orphan, phase: 'Succeeded' });
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(0);
    expect(cluster.api.job?.status).toMatchObject({ succeeded: 1, completionTime: at(0) });
    expect(trackedPods(cluster)).toEqual([]);
  });

  it.each<{ why: string; job: JobFields; pod: PodFields }>([
    { why: 'the labels of the pod do not match', job: one, pod: { ...orphan, labels: {} } },
    { why: 'the pod is being deleted', job: one, pod: { ...orphan, deleted: -1 } },
    { why: 'the Job is being deleted', job: { ...one, deleting: true }, pod: orphan },
    { why: 'the Job has finished', job: { ...one, status: finished }, pod: orphan },
    {
      why: 'the pod has another controller',
      job: one,
      pod: { controller: 'uid-of-another', untracked: true },
    },
  ])('does not adopt a pod when $why', ({ job, pod }) => {
    const { verdict } = given(aJob(job)).and(aRunningPod(pod)).when(null);
    expect(verdict.commands.map(({ kind }) => kind)).not.toContain('AdoptPods');
  });

  it('adopts a pod whose only owner is not its controller (J-3.47)', () => {
    const pod = podObject(orphan);
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'uid-of-x' };
    const { controller } = podFacts({ ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
    expect(controller).toBeUndefined();
  });

  it('deletes an adopted pod without index in an Indexed Job, because adoption gives it no index (J-3.36)', async () => {
    const cluster = withPod(orphan, { ...one, completionMode: 'Indexed' });
    const [adopted] = cluster.api.pods.keys();
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(1);
    expect(cluster.api.pods.get(adopted ?? '')?.metadata.deletionTimestamp).toBe(at(30));
    expect(cluster.api.job?.status?.failed).toBeUndefined();
  });

  it('disowns a pod that does not match its selector, and replaces the pod', async () => {
    const cluster = withPod({ labels: {} });
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(1);
    expect(trackedPods(cluster)).toEqual([cluster.api.created[0]?.metadata.name]);
  });

  it('does not disown a pod while the Job is being deleted', () => {
    const { verdict } = given(aJob({ ...one, deleting: true }))
      .and(aRunningPod({ labels: {} }))
      .when(null);
    expect(verdict.commands.map(({ kind }) => kind)).not.toContain('DisownPods');
  });

  it('releases a pod that lost its owner but not the finalizer of Jobledger (J-4.32)', () => {
    given(aJob(one))
      .and(aTerminatingPod({ controller: 'none' }))
      .when(null)
      .thenCommands('~1');
  });

  it('counts a finished pod only after the pod is observed with the owner reference of the Job', () => {
    const { state } = given(aJob(one)).and(aSucceededPod(orphan)).when(null).thenCommands('adopt 1');
    expect(state.uncounted.succeeded).toEqual([]);
  });

  it('records how many pods it adopts, disowns and releases, each with its rule', () => {
    const [stray, lost] = [{ labels: {} }, { controller: 'none', deleted: -1 }];
    const job = given(aJob(one));
    job
      .and(aRunningPod(orphan), aRunningPod(stray), aRunningPod(lost))
      .when(null)
      .thenCommands('adopt 1', 'disown 1', '~1')
      .thenBecause(
        'J-3.32: 1 pod without controller matching the selector',
        'J-3.33: 1 pod no longer matching the selector',
        'J-4.32: 1 pod that lost the owner reference',
      );
    job
      .and(...[orphan, orphan, stray, stray, lost, lost].map(aRunningPod))
      .when(null)
      .thenBecause(
        'J-3.32: 2 pods without controller matching the selector',
        'J-3.33: 2 pods no longer matching the selector',
        'J-4.32: 2 pods that lost the owner reference',
      );
  });

  it('releases an orphan only if the pod is still an orphan when the patch is sent (J-3.46)', () => {
    const { verdict } = given(aJob(one))
      .and(aTerminatingPod({ controller: 'none' }))
      .when(null);
    expect(verdict.commands[0]).toMatchObject({ kind: 'ReleasePods', unlessAdopted: true });
  });

  it.each([
    { settings: {}, finalizer: 'jobledger.dev/job-tracking' },
    { settings: { claim: 'all' as const }, finalizer: 'batch.kubernetes.io/job-tracking' },
  ])('adopts a pod with the finalizer $finalizer (J-4.32, J-4.33)', ({ settings, finalizer }) => {
    const { verdict } = given(aJob(one)).and(aRunningPod(orphan)).under(settings).when(null);
    expect(verdict.commands[0]).toMatchObject({ kind: 'AdoptPods', finalizer });
  });

  it.each(['AdoptPods', 'DisownPods', 'ReleasePods'])(
    'waits while the API refuses the command %s (J-3.34)',
    (kind) => {
      const { state } = given(aJob(one)).and(aRunningPod(orphan));
      givenState({ ...state, retries: { [kind]: { errors: 1, until: START + 3000, message: 'no' } } })
        .when(null)
        .thenCommands()
        .thenLookAgain(3)
        .thenWaitsBy('J-3.2', `no ${kind} before 2026-03-01T12:00:03.000Z: 1 error of the API, the last: no`);
    },
  );

  it('sends its other commands when no pod remains to be claimed, despite earlier refusals', () => {
    const { state } = given(aJob({ ...one, deleting: true })).and(
      aRunningPod({ ...orphan, name: 'o' }),
      aRunningPod(),
    );
    const pods = { ...state.pods, 'uid-of-o': { created: 0, name: 'o', claim: 'adopt' as const } };
    const retries = { AdoptPods: { errors: 1, until: START + 3000, message: 'no' } };
    givenState({ ...state, pods, retries })
      .when(null)
      .thenCommands('~1', 'status');
  });

  it('does not release a pod without the finalizer of Jobledger', () => {
    const { state } = given(aJob(one)).and(aRunningPod());
    const pods = { ...state.pods, other: { created: 0, claim: 'free' as const, untracked: true as const } };
    givenState({ ...state, pods })
      .when(null)
      .thenCommands('status');
  });

  it('disowns a pod with or without a tracking finalizer', () => {
    const { state } = given(aJob(one)).and(aRunningPod());
    const pods = { ...state.pods, other: { created: 0, claim: 'disown' as const, untracked: true as const } };
    givenState({ ...state, pods })
      .when(null)
      .thenCommands('disown 1');
  });

  it('sends no other command while a claim fails, and repeats the claim after a second (J-3.34)', async () => {
    const cluster = withPod(orphan);
    refuseChanges(cluster, ['patch']);
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(0);
    expect(cluster.api.statusWrites).toHaveLength(0);
    expect(cluster.workflow.state.waiting?.rule).toBe('J-3.2');
    cluster.api.trouble = () => null;
    cluster.api.now += 1000;
    await runWorkflowTask(cluster);
    expect(cluster.api.job?.status).toMatchObject({ active: 1 });
  });
});
