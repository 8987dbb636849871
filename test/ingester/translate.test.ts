import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { applyChange, emptyLiveSet, type LiveSet } from '../../services/ingester/live-set/live-set.ts';
import { mayConcernJobs } from '../../services/ingester/translate/jobs-of-pod.ts';
import {
  translateJobDeletion,
  translateJob,
  translatePodDeletion,
  translatePod,
  type TranslationScope,
  type Translated,
} from '../../services/ingester/translate/translate.ts';
import { REDACTION } from '../support/redaction.ts';

const scope: TranslationScope = {
  cluster: 'east',
  claim: 'managed',
  redaction: REDACTION,
};
const time = '2026-01-01T00:00:00.000Z';

const metadata = (name: string, uid: string, resourceVersion: string) => ({
  name,
  namespace: 'default',
  uid,
  resourceVersion,
  creationTimestamp: '2026-01-01T00:00:00Z',
});

function aJob(more: Partial<Job['spec']> = {}): Job {
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': 'job-1' } };
  return {
    metadata: metadata('pi', 'job-1', '10'),
    spec: { managedBy: 'jobledger.dev/job-controller', selector, ...more },
  };
}

function aPod(more: Partial<Pod['metadata']> = {}): Pod {
  const ownerReferences = [
    { apiVersion: 'batch/v1', kind: 'Job', name: 'pi', uid: 'job-1', controller: true },
  ];
  const labels = { 'batch.kubernetes.io/controller-uid': 'job-1', 'batch.kubernetes.io/job-name': 'pi' };
  const finalizers = ['jobledger.dev/job-tracking'];
  return {
    metadata: { ...metadata('pi-x', 'pod-1', '20'), ownerReferences, labels, finalizers, ...more },
    spec: { containers: [{ name: 'a' }] },
  };
}

function liveAfter(...translated: Translated[]): LiveSet {
  const live = emptyLiveSet();
  for (const { changes } of translated) for (const change of changes) applyChange(live, change);
  return live;
}

const orphaned = (): Pod => {
  const { ownerReferences: _ownerReferences, ...rest } = aPod({ resourceVersion: '21' }).metadata;
  return { ...aPod(), metadata: rest };
};

describe('an observation of an object', () => {
  it('has an id from cluster, kind, uid and version, so that the same version is the same event', () => {
    const [first] = translateJob(scope, aJob(), time).events;
    const [second] = translateJob(scope, aJob(), '2026-02-02T00:00:00.000Z').events;
    expect(first?.id).toBe('east/job/job-1/10');
    expect(second?.id).toBe(first?.id);
    expect(second?.digest).toBe(first?.digest);
  });

  it('is recorded, for a pod, under the Job that controls the pod, whichever controller the Job has (J-3.10)', () => {
    const { events } = translatePod(scope, emptyLiveSet(), aPod(), time);
    expect(events.map((event) => [event.id, event.subject])).toEqual([['east/pod/pod-1/20', 'default/pi']]);
  });

  it('is omitted for a pod without any Job', () => {
    const { ownerReferences: _ownerReferences, finalizers: _finalizers, ...rest } = aPod().metadata;
    const other = { ...aPod(), metadata: { ...rest, labels: { app: 'web' } } };
    expect(translatePod(scope, liveAfter(translateJob(scope, aJob(), time)), other, time)).toEqual({
      events: [],
      changes: [],
    });
  });
});

describe('a pod without controller', () => {
  it('is recorded under each live claimed Job whose selector it matches (J-3.11)', () => {
    const live = liveAfter(translateJob(scope, aJob(), time));
    expect(translatePod(scope, live, orphaned(), time).events.map(({ id }) => id)).toEqual([
      'east/pod/pod-1/21/job-1',
    ]);
  });

  it('is not recorded under a Job of another controller', () => {
    const live = liveAfter(translateJob(scope, aJob({ managedBy: 'acme.io/other' }), time));
    const { finalizers: _finalizers, ...rest } = orphaned().metadata;
    expect(translatePod(scope, live, { ...orphaned(), metadata: rest }, time).events).toEqual([]);
  });

  it('is also recorded under its former Job after it lost its owner (J-3.12)', () => {
    const live = liveAfter(translatePod(scope, emptyLiveSet(), aPod(), time));
    expect(translatePod(scope, live, orphaned(), time).events.map(({ id }) => id)).toEqual([
      'east/pod/pod-1/21/job-1',
    ]);
  });

  it('is recorded under the Job that its label names when it has the finalizer of Jobledger', () => {
    expect(translatePod(scope, emptyLiveSet(), orphaned(), time).events).toHaveLength(1);
  });
});

describe('a pod whose Job is unknown', () => {
  const stray = (finalizers: string[], labels: Record<string, string> = {}): Pod => ({
    ...orphaned(),
    metadata: { ...orphaned().metadata, finalizers, labels },
  });
  const reserved = ['batch.kubernetes.io/job-tracking'];
  const all: TranslationScope = { ...scope, claim: 'all' };

  it('has its own stream when it has the finalizer of Jobledger, so that it is released (J-4.32)', () => {
    const { events } = translatePod(scope, emptyLiveSet(), stray(['jobledger.dev/job-tracking']), time);
    expect(events.map(({ data, subject }) => [data, subject])).toEqual([
      [expect.objectContaining({ jobUid: 'pod-1' }), 'default/pi-x'],
    ]);
  });

  it('has its own stream with the reserved finalizer under `all` only, because only then Jobledger removes that finalizer (J-3.46, J-4.33)', () => {
    expect(translatePod(all, emptyLiveSet(), stray(reserved), time).events).toHaveLength(1);
    expect(translatePod(scope, emptyLiveSet(), stray(reserved), time).events).toEqual([]);
  });

  it('is not recorded for the Job that its label names when another controller controls that Job (J-15.2)', () => {
    const live = liveAfter(translateJob(all, aJob({ managedBy: 'acme.io/other' }), time));
    const labels = { 'batch.kubernetes.io/controller-uid': 'job-1' };
    const { events } = translatePod(all, live, stray(reserved, labels), time);
    expect(events.map(({ data }) => ('jobUid' in data ? data.jobUid : null))).toEqual(['pod-1']);
  });

  it('is omitted when an object other than a Job of Jobledger controls it (J-3.46)', () => {
    const owner = {
      apiVersion: 'batch.volcano.sh/v1alpha1',
      kind: 'Job',
      name: 'v',
      uid: 'v-1',
      controller: true,
    };
    const pod = {
      ...aPod(),
      metadata: { ...aPod().metadata, ownerReferences: [owner], finalizers: reserved },
    };
    expect(translatePod(all, emptyLiveSet(), pod, time).events).toEqual([]);
  });
});

describe('a listed pod', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true };
  const ofReplicaSet = aPod({ ownerReferences: [owner] });

  it('may concern a Job unless another object controls it', () => {
    const live = emptyLiveSet();
    expect([aPod(), orphaned(), ofReplicaSet].map((pod) => mayConcernJobs(live, pod))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('concerns the Job in whose stream it is already recorded (J-3.12)', () => {
    const live = liveAfter(translatePod(scope, emptyLiveSet(), aPod(), time));
    expect(mayConcernJobs(live, ofReplicaSet)).toBe(true);
  });
});

describe('a deleted pod', () => {
  it('is recorded with its last version when it was watched, and removed from the live set (J-3.13)', () => {
    const live = liveAfter(translatePod(scope, emptyLiveSet(), aPod(), time));
    const { events, changes } = translatePodDeletion(scope, live, 'pod-1', {
      pod: aPod({ resourceVersion: '30' }),
      resourceVersion: '30',
      time,
    });
    expect(events[0]?.data).toMatchObject({ seen: true, resourceVersion: '30', podName: 'pi-x' });
    expect(changes).toEqual([{ resource: 'pods', uid: 'pod-1', entry: null }]);
  });

  it('is recorded from the live set when it was not watched', () => {
    const live = liveAfter(
      translateJob(scope, aJob(), time),
      translatePod(scope, emptyLiveSet(), aPod(), time),
    );
    const pod = translatePodDeletion(scope, live, 'pod-1', { resourceVersion: '99', time }).events[0];
    const job = translateJobDeletion(scope, live, 'job-1', { resourceVersion: '99', time }).events[0];
    expect(pod).toMatchObject({
      subject: 'default/pi',
      data: { seen: false, podName: 'pi-x', jobUid: 'job-1' },
    });
    expect(job).toMatchObject({ id: 'east/job/job-1/gone', subject: 'default/pi', data: { seen: false } });
  });
});

describe('the redaction of recorded objects', () => {
  it('leaves no literal variable, unknown annotation or managed value in an event', () => {
    const env = [
      { name: 'TOKEN', value: 'planted-secret' },
      { name: 'REF', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    ];
    const spec = {
      containers: [{ name: 'a', env }],
      initContainers: [{ name: 'i', env }],
      ephemeralContainers: [{ name: 'e', env }],
    };
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': 'planted-secret',
      'jobledger.dev/kept': 'yes',
    };
    const job = {
      ...aJob({}),
      metadata: {
        ...aJob().metadata,
        annotations,
        managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': { 'v:"planted-secret"': {} } } }],
      },
      spec: { ...aJob().spec, template: { spec } },
    };
    const pod = { ...aPod({ annotations }), spec };
    const text = JSON.stringify([
      translateJob(scope, job, time),
      translatePod(scope, emptyLiveSet(), pod, time),
    ]);
    expect(text).not.toContain('planted-secret');
    expect(text).toContain('secretKeyRef');
    expect(text).toContain('"jobledger.dev/kept":"yes"');
    expect(text).toContain('"managedFields":[{"manager":"kubectl","fields":["spec"]}]');
  });

  it('omits the template of an oversized Job, and records the omission', () => {
    const template = { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'x'.repeat(2000) }] } };
    const small = { ...scope, redaction: { ...REDACTION, maxBytes: 1000 } };
    const [event] = translateJob(small, aJob({ template }), time).events;
    expect(event?.data).toMatchObject({
      withoutTemplate: true,
      object: { spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [] } } } },
    });
  });
});
