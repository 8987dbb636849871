import { podFacts } from '../../workflows/job/compact.ts';
import { describe, expect, it } from '@jest/globals';
import {
  aJob,
  aRunningPod,
  aSucceededPod,
  aTerminatingPod,
  at,
  podObject,
  type JobFields,
  type PodFields,
} from '../support/builders.ts';
import { given } from '../support/given.ts';
import {
  createModelCluster,
  deliverAll,
  refuse,
  trackedPods,
  work,
  type ModelCluster,
} from '../support/model-cluster.ts';
import { setPod } from '../support/model-cluster-api.ts';

const one = { parallelism: 1, completions: 1 };
const orphan = { controller: 'none', untracked: true };
const finished = { startTime: at(-9), conditions: [{ type: 'Failed', status: 'True' }] };

function withPod(pod: PodFields, job: JobFields = one): ModelCluster {
  const cluster = createModelCluster(job, () => 'Succeeded');
  setPod(cluster.api, podObject(pod));
  deliverAll(cluster);
  return cluster;
}

describe('which pods a Job claims (J-3.31)', () => {
  it('adopts a pod without controller that matches', () => {
    given(aJob(one)).and(aRunningPod(orphan)).when(null).thenCommands('adopt 1');
  });

  it('counts an adopted pod as its own in the same sync', () => {
    const cluster = withPod(orphan);
    work(cluster);
    expect(cluster.api.created).toHaveLength(0);
    expect(cluster.api.job?.status).toMatchObject({ active: 1 });
    expect(trackedPods(cluster)).toHaveLength(1);
  });

  it('adopts one that has finished, and is complete with it (J-1.10)', () => {
    const cluster = withPod({ ...orphan, phase: 'Succeeded' });
    work(cluster);
    expect(cluster.api.created).toHaveLength(0);
    expect(cluster.api.job?.status).toMatchObject({ succeeded: 1, completionTime: at(0) });
    expect(trackedPods(cluster)).toEqual([]);
  });

  it.each<{ why: string; job: JobFields; pod: PodFields }>([
    { why: 'its labels do not match', job: one, pod: { ...orphan, labels: {} } },
    { why: 'the pod is being deleted', job: one, pod: { ...orphan, deleted: -1 } },
    { why: 'the Job is being deleted', job: { ...one, deleting: true }, pod: orphan },
    { why: 'the Job has finished', job: { ...one, status: finished }, pod: orphan },
    { why: 'it has another controller', job: one, pod: { controller: 'uid-of-another', untracked: true } },
  ])('does not adopt when $why', ({ job, pod }) => {
    const { verdict } = given(aJob(job)).and(aRunningPod(pod)).when(null);
    expect(verdict.commands.map(({ kind }) => kind)).not.toContain('AdoptPods');
  });

  it('adopts a pod whose only owner is none that controls it (J-3.47)', () => {
    const pod = podObject(orphan);
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'uid-of-x' };
    const { controller } = podFacts({ ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
    expect(controller).toBeUndefined();
  });

  it('deletes an adopted pod without index in an Indexed Job, as adoption gives it none (J-3.36)', () => {
    const cluster = withPod(orphan, { ...one, completionMode: 'Indexed' });
    const [adopted] = cluster.api.pods.keys();
    work(cluster);
    expect(cluster.api.created).toHaveLength(1);
    expect(cluster.api.pods.get(adopted ?? '')?.metadata.deletionTimestamp).toBeDefined();
    expect(cluster.api.job?.status?.failed).toBeUndefined();
  });

  it('lets go of a pod that no longer matches, and replaces it', () => {
    const cluster = withPod({ labels: {} });
    work(cluster);
    expect(cluster.api.created).toHaveLength(1);
    expect(trackedPods(cluster)).toEqual([cluster.api.created[0]?.metadata.name]);
  });

  it('does not let go of it while the Job is being deleted', () => {
    const { verdict } = given(aJob({ ...one, deleting: true }))
      .and(aRunningPod({ labels: {} }))
      .when(null);
    expect(verdict.commands.map(({ kind }) => kind)).not.toContain('DisownPods');
  });

  it('frees a pod that lost its owner but not our finalizer (J-4.32)', () => {
    given(aJob(one))
      .and(aTerminatingPod({ controller: 'none' }))
      .when(null)
      .thenCommands('~1');
  });

  it('counts a finished pod of its own only once it is adopted', () => {
    const { state } = given(aJob(one)).and(aSucceededPod(orphan)).when(null).thenCommands('adopt 1');
    expect(state.owed.succeeded).toEqual([]);
  });

  it('does nothing else while a claim fails, and tries again after a second (J-3.34)', () => {
    const cluster = withPod(orphan);
    refuse(cluster, ['patch']);
    work(cluster);
    expect(cluster.api.created).toHaveLength(0);
    expect(cluster.api.statusWrites).toHaveLength(0);
    expect(cluster.workflow.state.waiting?.rule).toBe('J-3.2');
    cluster.api.trouble = () => null;
    cluster.api.now += 1000;
    work(cluster);
    expect(cluster.api.job?.status).toMatchObject({ active: 1 });
  });
});
