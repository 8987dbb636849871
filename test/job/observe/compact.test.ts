import { describe, expect, it } from '@jest/globals';
import { compact, jobFacts, podFacts } from '../../../workflows/job/observe/compact.ts';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import { INITIAL_STATE } from '../../../workflows/job/state.ts';
import {
  CONTROLLER_UID_LABEL,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  OWN_FINALIZER,
  RESERVED_FINALIZER,
} from '../../../workflows/kubernetes/names.ts';
import type { Job, Pod } from '../../../workflows/kubernetes/objects.ts';
import { JOB_UID, jobObject, podObject } from '../../support/builders.ts';

const SECRET = 'hunter2';
const withSecret = { name: 'main', env: [{ name: 'PASSWORD', value: SECRET }] };

function secretJob(): Job {
  const job = jobObject();
  return {
    ...job,
    spec: { ...job.spec, template: { spec: { restartPolicy: 'OnFailure', containers: [withSecret] } } },
  };
}

function finalizedBy(...finalizers: string[]): Pod {
  const pod = podObject();
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

describe('the facts that the core receives of a Job', () => {
  it('have nothing of the pod template except the restart policy, and therefore no secret', () => {
    const facts = jobFacts(secretJob());
    expect(JSON.stringify(facts)).not.toContain(SECRET);
    expect(facts).not.toHaveProperty('spec.template');
    expect(facts.restartPolicy).toBe('OnFailure');
  });

  it('have defaults for absent fields (J-1.2, J-15.9)', () => {
    const { metadata } = jobObject();
    const { generation: _generation, ...bare } = metadata;
    expect(jobFacts({ metadata: bare, spec: {} })).toMatchObject({
      generation: 1,
      deleting: false,
      spec: { selector: {} },
      restartPolicy: 'Never',
      status: {},
    });
  });
});

describe('the facts that the core receives of a pod', () => {
  it('have no secret', () => {
    const pod = podObject({ phase: 'Failed' });
    expect(JSON.stringify(podFacts({ ...pod, spec: { containers: [withSecret] } }))).not.toContain(SECRET);
  });

  it('have labels only when labels can influence a decision', () => {
    expect(podFacts(podObject())).not.toHaveProperty('labels');
    expect(podFacts(podObject({ labels: { a: 'b' } })).labels).toEqual({ a: 'b' });
    expect(podFacts(podObject({ controller: 'none' })).labels).toEqual({ [CONTROLLER_UID_LABEL]: JOB_UID });
  });

  it('name a controller of any kind, because a controller keeps every Job from adopting the pod (J-3.30)', () => {
    const pod = podObject({ controller: 'none' });
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'web',
      uid: 'uid-of-web',
      controller: true,
    };
    const metadata = { ...pod.metadata, ownerReferences: [owner] };
    expect(podFacts({ ...pod, metadata }).controller).toBe('uid-of-web');
  });

  it.each([
    { finalizers: [OWN_FINALIZER], tracked: true, byUs: true },
    { finalizers: [RESERVED_FINALIZER], tracked: true, byUs: undefined },
    { finalizers: ['example.com/other'], tracked: undefined, byUs: undefined },
    { finalizers: [], tracked: undefined, byUs: undefined },
  ])(
    'show whether the pod has a tracking finalizer, and whether it is that of Jobledger: $finalizers',
    ({ finalizers, tracked, byUs }) => {
      const facts = podFacts(finalizedBy(...finalizers));
      expect([facts.tracked, facts.trackedByUs]).toEqual([tracked, byUs]);
    },
  );

  it.each([OWN_FINALIZER, RESERVED_FINALIZER])(
    'show that the pod is tracked when it has the finalizer %s beside another finalizer (J-4.34)',
    (finalizer) => {
      const pod = podObject({ untracked: true });
      const tracked = podFacts({
        ...pod,
        metadata: { ...pod.metadata, finalizers: ['other.io/x', finalizer] },
      });
      expect(tracked.tracked).toBe(true);
      expect(podFacts(pod).tracked).not.toBe(true);
    },
  );

  it.each([
    ['3', 3],
    ['2147483647', 2_147_483_647],
    ['2147483648', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['x', undefined],
  ])('contain the annotated failure count "%s" as %s (J-5.8)', (text, count) => {
    const pod = podObject({ index: 0 });
    const annotations = { [INDEX_FAILURE_COUNT]: text, [INDEX_IGNORED_FAILURE_COUNT]: text };
    const facts = podFacts({ ...pod, metadata: { ...pod.metadata, annotations } });
    expect([facts.failureCount, facts.ignoredFailureCount]).toEqual([count, count]);
  });

  it('have a finish time when the pod is terminal or being deleted', () => {
    expect(podFacts(podObject())).not.toHaveProperty('finishedAt');
    expect(podFacts(podObject({ phase: 'Succeeded' }))).toHaveProperty('finishedAt');
    expect(podFacts(podObject({ deleted: 3 }))).toHaveProperty('finishedAt');
  });

  it.each([
    { text: '7', index: 7 },
    { text: '+7', index: 7 },
    { text: '-1', index: undefined },
    { text: 'x', index: undefined },
    { text: '99999999999', index: undefined },
  ])('contain the index annotation $text as $index (J-0.4)', ({ text, index }) => {
    const pod = podObject();
    const annotations = { 'batch.kubernetes.io/job-completion-index': text };
    expect(podFacts({ ...pod, metadata: { ...pod.metadata, annotations } }).index).toBe(index);
  });

  it('contain the total number of restarts, and the highest number of one unfinished container (J-6.4, J-5.31)', () => {
    const pod = podObject();
    const status = {
      ...pod.status,
      containerStatuses: [
        { name: 'main', restartCount: 2 },
        { name: 'other', restartCount: 1 },
      ],
      initContainerStatuses: [
        { name: 'before', restartCount: 9 },
        { name: 'sidecar', restartCount: 4 },
      ],
    };
    const initContainers = [{ name: 'before' }, { name: 'sidecar', restartPolicy: 'Always' }];
    expect(podFacts({ ...pod, spec: { ...pod.spec, initContainers }, status })).toMatchObject({
      restarts: 16,
      maxRestarts: 2,
      maxSidecarRestarts: 4,
    });
    expect(podFacts(pod)).not.toHaveProperty('restarts');
    expect(podFacts(pod)).not.toHaveProperty('maxRestarts');
  });

  it('contain the non-zero exit codes of a pod, regular containers first (J-6.10)', () => {
    const pod = podObject({ phase: 'Failed' });
    const exit = (name: string, exitCode: number): object => ({ name, state: { terminated: { exitCode } } });
    const status = {
      ...pod.status,
      initContainerStatuses: [exit('setup', 5)],
      containerStatuses: [exit('a', 0), exit('b', 2)],
    } as NonNullable<Pod['status']>;
    expect(podFacts({ ...pod, status }).exits).toEqual([
      { container: 'b', code: 2 },
      { container: 'setup', code: 5 },
    ]);
    expect(podFacts(podObject())).not.toHaveProperty('exits');
  });

  it('contain, before the pod fails, the exit codes and conditions that a failure policy may match, without the conditions that every pod has (J-4.17)', () => {
    const pod = podObject({
      ready: true,
      conditions: ['PodScheduled', 'DisruptionTarget'],
      exits: { main: 3 },
    });
    expect(podFacts(pod)).toMatchObject({
      exits: [{ container: 'main', code: 3 }],
      conditions: [{ type: 'DisruptionTarget', status: 'True' }],
    });
    expect(podFacts(podObject({ ready: true }))).not.toHaveProperty('conditions');
    expect(podFacts(podObject({ phase: 'Succeeded', conditions: ['DisruptionTarget'] }))).not.toHaveProperty(
      'conditions',
    );
  });
});

describe('a pod that is recorded for a Job', () => {
  const event = (jobUid: string): Parameters<typeof compact>[0] => ({
    id: 'e',
    digest: 'd',
    type: 'pod.observed',
    source: 'east',
    subject: 'default/pi',
    time: '2026-01-01T00:00:00.000Z',
    data: { cluster: 'east', jobUid, object: podObject() },
  });
  const controller = podObject().metadata.ownerReferences?.[0]?.uid ?? '';

  it('counts as a pod of another object when the Job does not control it, so that a Job that was never observed does not release it (J-3.46)', () => {
    const fact = compact(event('another-job'));
    expect(fact).toMatchObject({ pod: { elsewhere: true } });
    expect(Object.keys(fact === null ? {} : fold(INITIAL_STATE, [fact]).pods)).toEqual([]);
  });

  it('counts as a pod of the Job when the Job controls it', () => {
    const fact = compact(event(controller));
    expect(fact).not.toMatchObject({ pod: { elsewhere: true } });
    expect(Object.keys(fact === null ? {} : fold(INITIAL_STATE, [fact]).pods)).toHaveLength(1);
  });
});
