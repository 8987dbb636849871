import { describe, expect, it } from '@jest/globals';
import { KubernetesApiError, UnavailableError } from '../../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { freePods, type Freed } from '../../../cli/verbs/detach/free-pods.ts';
import { planDetach } from '../../../cli/verbs/detach/plan.ts';
import type { SurveyedPod } from '../../../cli/verbs/detach/surveyed.ts';
import { OWN_FINALIZER, RESERVED_FINALIZER } from '../../../workflows/kubernetes/names.ts';
import { aSurvey, aSurveyedJob, aSurveyedPod } from './a-survey.ts';

interface Patch {
  path: string;
  body: unknown;
}

/** Frees these pods, on a server that answers each patch so; null: it is done. */
async function free(
  pods: readonly SurveyedPod[],
  answer: (request: ApiRequest, asked: number) => Error | null = () => null,
  permit: () => void = () => undefined,
): Promise<{ freed: Freed; patches: Patch[] }> {
  const patches: Patch[] = [];
  const client: KubernetesClient = {
    cluster: 'east',
    request<R>(request: ApiRequest): Promise<R> {
      const { method, path, body } = request;
      const pod = pods.find(({ metadata }) => path.endsWith(`/pods/${metadata.name}`));
      if (method === 'PATCH') {
        patches.push({ path, body });
        const error = answer(request, patches.length);
        if (error !== null) return Promise.reject(error);
      }
      if (pod === undefined) return Promise.reject(status(404, 'NotFound', 'jobs'));
      const finalizers = method === 'PATCH' ? [] : pod.metadata.finalizers;
      return Promise.resolve({ metadata: { ...pod.metadata, finalizers } } as R);
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
  const plan = planDetach(aSurvey({ pods, jobs: [aSurveyedJob('pi')] }), {
    claim: 'managed',
    controllers: ['job'],
  });
  const { signal } = new AbortController();
  return { freed: await freePods(plan, { client, claim: 'managed', signal, permit }), patches };
}

function status(code: number, reason: string, resource = 'pods'): KubernetesApiError {
  const object = { resource, group: resource === 'jobs' ? 'batch' : '', name: 'pi' };
  const details = { kind: resource, group: object.group, name: 'pi' };
  return new KubernetesApiError({ status: code, reason, message: reason, causes: [], details, object });
}

describe('a detachment that frees the pods of a cluster', () => {
  it('sends for a pod of a Job the same conditional patch as a worker', async () => {
    const { freed, patches } = await free([aSurveyedPod('a')]);
    expect(freed).toEqual({ freed: 1, gone: 0, failed: [] });
    expect(patches).toEqual([
      {
        path: '/api/v1/namespaces/default/pods/a',
        body: [
          { op: 'test', path: '/metadata/uid', value: 'pod-a' },
          { op: 'test', path: '/metadata/ownerReferences/0/uid', value: 'job-pi' },
          { op: 'test', path: '/metadata/ownerReferences/0/kind', value: 'Job' },
          { op: 'test', path: '/metadata/ownerReferences/0/name', value: 'pi' },
          { op: 'test', path: '/metadata/ownerReferences/0/controller', value: true },
          { op: 'test', path: '/metadata/finalizers/0', value: OWN_FINALIZER },
          { op: 'remove', path: '/metadata/finalizers/0' },
        ],
      },
    ]);
  });

  it('removes both tracking finalizers from a pod without a Job, in the version that it has read', async () => {
    const { freed, patches } = await free([aSurveyedPod('a', { ownerReferences: [] })]);
    expect(freed.freed).toBe(1);
    expect(patches[0]?.body).toEqual({
      metadata: {
        uid: 'pod-a',
        resourceVersion: '1',
        '$deleteFromPrimitiveList/finalizers': [OWN_FINALIZER, RESERVED_FINALIZER],
      },
    });
  });

  it('continues when a pod is missing or the API server refuses its patch, and names the pod', async () => {
    const pods = ['a', 'b', 'c'].map((name) => aSurveyedPod(name));
    const { freed } = await free(pods, ({ path }) => {
      if (path.endsWith('/a')) return status(404, 'NotFound');
      return path.endsWith('/b') ? status(403, 'pods are frozen') : null;
    });
    expect(freed).toEqual({
      freed: 1,
      gone: 1,
      failed: [{ pod: 'default/b', reason: 'pods are frozen' }],
    });
  });

  it('repeats a patch that a busy API server has not answered', async () => {
    const { freed, patches } = await free([aSurveyedPod('a')], (_request, asked) =>
      asked === 1 ? new UnavailableError('no answer') : null,
    );
    expect([freed.freed, patches.length]).toEqual([1, 2]);
  });

  it('changes nothing when the Lease is lost', async () => {
    const lost = new UnavailableError('the Lease was lost');
    const sent = free([aSurveyedPod('a')], undefined, () => {
      throw lost;
    });
    await expect(sent).rejects.toBe(lost);
  });
});
