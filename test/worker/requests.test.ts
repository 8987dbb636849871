import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { createPods } from '../../services/worker/activities/job/create-pods.ts';
import { deletePods } from '../../services/worker/activities/job/delete-pods.ts';
import { adoptPods, disownPods, releasePods } from '../../services/worker/activities/job/pod-patches.ts';
import {
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  OWN_FINALIZER,
  RESERVED_FINALIZER,
} from '../../workflows/kubernetes/names.ts';
import { PRECONDITIONS, JOB_UID, podObject } from '../support/builders.ts';
import { aCommandContext } from './a-command-context.ts';

const pod = { uid: 'uid-of-pod', name: 'pi-bcdfg' };
const live = podObject({ ...pod, version: '7' });
const orphan = podObject({ ...pod, version: '7', controller: 'none' });
const POD_PATH = '/api/v1/namespaces/default/pods/pi-bcdfg';
const why = { rule: 'J-5.11', message: '' } as const;
const creations = (count: number): Parameters<typeof createPods>[1] => ({
  kind: 'CreatePods',
  preconditions: PRECONDITIONS,
  why,
  finalizer: OWN_FINALIZER,
  pods: Array.from({ length: count }, (_none, ordinal) => ({ ordinal, name: `pi-${ordinal}` })),
});
const refusal = (
  status: number,
  reason: string,
  message: string,
  causes: string[] = [],
): KubernetesApiError => new KubernetesApiError({ status, reason, message, causes });
const isCreation = ({ method, path }: ApiRequest): boolean => method === 'POST' && path.endsWith('/pods');

describe('the deletion of a pod by the worker', () => {
  it("names the pod and its UID, with the pod's own grace period (J-3.60, B-28)", async () => {
    const context = aCommandContext({}, undefined, live);
    await deletePods(context, { kind: 'DeletePods', why, pods: [pod], untrack: false });
    expect(context.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${POD_PATH}`,
      `DELETE ${POD_PATH}`,
    ]);
    expect(context.requests[1]?.body).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid: pod.uid },
    });
    expect(context.events).toEqual(['SuccessfulDelete']);
  });

  it('removes the finalizer first when the pod must never be counted (J-5.33)', async () => {
    const context = aCommandContext({}, undefined, live);
    await deletePods(context, { kind: 'DeletePods', why, pods: [pod], untrack: true });
    expect(context.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET', 'PATCH', 'GET', 'DELETE']);
  });

  it('removes the finalizer, and leaves the pod, when the API then refuses the deletion (J-5.34)', async () => {
    const context = aCommandContext(
      {},
      ({ method }) => (method === 'DELETE' ? refusal(403, 'Forbidden', 'no') : null),
      live,
    );
    const { pods } = await deletePods(context, { kind: 'DeletePods', why, pods: [pod], untrack: true });
    expect(pods).toMatchObject([{ result: 'failed' }]);
    expect(context.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET', 'PATCH', 'GET', 'DELETE']);
    expect(context.events).toEqual(['FailedDelete']);
  });

  it('sends no Event when the pod was already deleted (J-7.2)', async () => {
    const context = aCommandContext(
      {},
      ({ method }) => (method === 'DELETE' ? refusal(404, 'NotFound', 'gone') : null),
      live,
    );
    const { pods } = await deletePods(context, { kind: 'DeletePods', why, pods: [pod], untrack: false });
    expect(pods).toMatchObject([{ result: 'gone' }]);
    expect(context.events).toEqual([]);
  });
});

describe('a patch of a pod by the worker', () => {
  const sent = ({ requests: [read, first] }: { requests: ApiRequest[] }): unknown => {
    expect(read).toMatchObject({ method: 'GET', path: POD_PATH });
    expect(first).toMatchObject({
      method: 'PATCH',
      path: POD_PATH,
      contentType: 'application/strategic-merge-patch+json',
    });
    return first?.body;
  };

  it('adds the owner reference and the finalizer of Jobledger to adopt the pod (J-3.32, J-5.5)', async () => {
    const context = aCommandContext({}, undefined, orphan);
    await adoptPods(context, { kind: 'AdoptPods', why, pods: [pod], finalizer: OWN_FINALIZER });
    expect(sent(context)).toEqual({
      metadata: {
        uid: pod.uid,
        resourceVersion: '7',
        ownerReferences: [
          {
            apiVersion: 'batch/v1',
            kind: 'Job',
            name: 'pi',
            uid: JOB_UID,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
        finalizers: [OWN_FINALIZER],
      },
    });
  });

  it('is not sent to adopt a pod for a Job that is being deleted (J-3.32)', async () => {
    const context = aCommandContext({ deleting: true });
    const { pods } = await adoptPods(context, {
      kind: 'AdoptPods',
      why,
      pods: [pod],
      finalizer: OWN_FINALIZER,
    });
    expect(context.requests).toEqual([]);
    expect(pods).toMatchObject([{ result: 'failed' }]);
  });

  it('removes the owner reference and the finalizers to disown the pod, and a 404 or 422 counts as disowned (J-3.33)', async () => {
    const context = aCommandContext({}, undefined, live);
    await disownPods(context, { kind: 'DisownPods', why, pods: [pod] });
    expect(sent(context)).toEqual({
      metadata: {
        uid: pod.uid,
        resourceVersion: '7',
        ownerReferences: [{ $patch: 'delete', uid: JOB_UID }],
        '$deleteFromPrimitiveList/finalizers': [OWN_FINALIZER, RESERVED_FINALIZER],
      },
    });
    for (const error of [refusal(404, 'NotFound', ''), refusal(422, 'Invalid', '')]) {
      const { pods } = await disownPods(
        aCommandContext({}, ({ method }) => (method === 'PATCH' ? error : null)),
        { kind: 'DisownPods', why, pods: [pod] },
      );
      expect(pods).toMatchObject([{ result: 'gone' }]);
    }
  });

  it('removes only the tracking finalizers to release a pod, in the version read after a JSON patch failed (J-3.46, J-4.34)', async () => {
    const context = aCommandContext({}, undefined, live);
    await releasePods(context, { kind: 'ReleasePods', why, pods: [pod] });
    expect(context.requests[0]).toMatchObject({
      method: 'PATCH',
      contentType: 'application/json-patch+json',
    });
    context.requests.shift();
    expect(sent(context)).toEqual({
      metadata: {
        uid: pod.uid,
        resourceVersion: '7',
        '$deleteFromPrimitiveList/finalizers': [OWN_FINALIZER, RESERVED_FINALIZER],
      },
    });
    expect(context.events).toEqual([]);
  });
});

describe('the creation of pods by the worker', () => {
  it('proceeds in batches of 1, 2, 4, 8, and skips the later batches after a batch with an error (J-5.18)', async () => {
    const context = aCommandContext({}, (request, asked) =>
      isCreation(request) && asked > 10 ? refusal(403, 'Forbidden', 'exceeded quota') : null,
    );
    const { pods } = await createPods(context, creations(100));
    const results = pods.map(({ result }) => result);
    expect(results.filter((result) => result === 'created')).toHaveLength(10);
    expect(results.filter((result) => result === 'failed')).toHaveLength(5);
    expect(context.requests.filter(isCreation)).toHaveLength(15);
    expect(new Set(context.events)).toEqual(new Set(['SuccessfulCreate', 'FailedCreate']));
  });

  it('fails in a terminating namespace without an Event, and the pod does not count as active (J-5.19, B-2)', async () => {
    const going = refusal(
      403,
      'Forbidden',
      'unable to create new content in namespace default because it is being terminated',
      ['NamespaceTerminating'],
    );
    const context = aCommandContext({}, (request) => (isCreation(request) ? going : null));
    const { pods } = await createPods(context, creations(1));
    expect(pods).toMatchObject([{ result: 'failed' }]);
    expect(context.events).toEqual([]);
  });

  it('sends no request for a Job that is being deleted (J-5.21)', async () => {
    const context = aCommandContext({ deleting: true });
    const { pods } = await createPods(context, creations(2));
    expect(pods.map(({ result }) => result)).toEqual(['failed', 'skipped']);
    expect(context.requests).toEqual([]);
  });

  it('sets the labels of the template, and no index for a Job without indexes (J-5.4, J-5.10)', async () => {
    const context = aCommandContext();
    await createPods(context, creations(1));
    const body = context.requests[0]?.body;
    expect(body).toHaveProperty('metadata.generateName', 'pi-');
    expect(body).toHaveProperty('metadata.labels', { 'batch.kubernetes.io/controller-uid': JOB_UID });
    expect(body).not.toHaveProperty('metadata.annotations');
    expect(body).not.toHaveProperty('spec.hostname');
  });

  it('adds the PodGroup of a gang to the pod, but not as its owner (J-8.8, B-11)', async () => {
    const context = aCommandContext();
    await createPods(context, { ...creations(1), podGroup: 'pi-gang' });
    const body = context.requests[0]?.body;
    expect(body).toHaveProperty('spec.schedulingGroup', { podGroupName: 'pi-gang' });
    expect(body).toHaveProperty('metadata.ownerReferences', [expect.objectContaining({ kind: 'Job' })]);
    await createPods(context, creations(1));
    expect(context.requests[1]?.body).not.toHaveProperty('spec.schedulingGroup');
  });

  it('sets labels, annotations, name and hostname for an index as the API names them (J-1.1, J-5.6, J-5.7)', async () => {
    const context = aCommandContext({ completionMode: 'Indexed' });
    const annotations = { [INDEX_FAILURE_COUNT]: '1', [INDEX_IGNORED_FAILURE_COUNT]: '2' };
    await createPods(context, {
      ...creations(1),
      pods: [{ ordinal: 0, name: 'pi-3-x', index: 3, annotations }],
    });
    expect(context.requests[0]?.body).toMatchObject({
      metadata: {
        generateName: 'pi-3-',
        labels: { 'batch.kubernetes.io/job-completion-index': '3' },
        annotations: {
          'batch.kubernetes.io/job-completion-index': '3',
          'batch.kubernetes.io/job-index-failure-count': '1',
          'batch.kubernetes.io/job-index-ignored-failure-count': '2',
        },
      },
      spec: { hostname: 'pi-3' },
    });
  });
});
