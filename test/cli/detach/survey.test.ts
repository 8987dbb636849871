import { describe, expect, it } from '@jest/globals';
import type { ApiRequest, KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { survey } from '../../../cli/verbs/detach/survey.ts';
import { OWN_FINALIZER, OWN_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { aSurveyedPod } from './a-survey.ts';

/** Paths without queries, in the order of the requests. */
async function asked(
  namespaces: string[],
): Promise<{ paths: string[]; found: Awaited<ReturnType<typeof survey>> }> {
  const paths: string[] = [];
  const objects: Record<string, unknown[]> = {
    pods: [
      { ...aSurveyedPod('a', { labels: { a: '1' } }), spec: {}, status: { phase: 'Failed' } },
      { ...aSurveyedPod('b', { finalizers: [] }), spec: {} },
    ],
    jobs: [{ metadata: { name: 'pi', managedFields: [] }, spec: { managedBy: OWN_MANAGER } }],
    cronjobs: [
      {
        metadata: { name: 'nightly' },
        spec: { suspend: true, jobTemplate: { spec: { managedBy: OWN_MANAGER } } },
      },
    ],
  };
  const client: KubernetesClient = {
    cluster: 'east',
    request<R>({ path }: ApiRequest): Promise<R> {
      const [plain = ''] = path.split('?');
      paths.push(plain);
      const items = objects[plain.split('/').at(-1) ?? ''];
      return Promise.resolve({ kind: 'List', metadata: { resourceVersion: '1' }, items } as R);
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
  return { found: await survey({ client, namespaces, signal: new AbortController().signal }), paths };
}

describe('the survey of a cluster for a detachment', () => {
  it('reads pods, then Jobs and CronJobs, of the whole cluster', async () => {
    expect((await asked([])).paths).toEqual([
      '/api/v1/pods',
      '/apis/batch/v1/jobs',
      '/apis/batch/v1/cronjobs',
    ]);
  });

  it('reads only the given namespaces', async () => {
    expect((await asked(['a', 'b'])).paths).toEqual([
      '/api/v1/namespaces/a/pods',
      '/api/v1/namespaces/b/pods',
      '/apis/batch/v1/namespaces/a/jobs',
      '/apis/batch/v1/namespaces/b/jobs',
      '/apis/batch/v1/namespaces/a/cronjobs',
      '/apis/batch/v1/namespaces/b/cronjobs',
    ]);
  });

  it('retains a short form of the objects, and only pods with a tracking finalizer', async () => {
    const { pods, jobs, cronJobs } = (await asked([])).found;
    expect(pods).toMatchObject([{ metadata: { name: 'a', finalizers: [OWN_FINALIZER] }, phase: 'Failed' }]);
    expect(pods[0]?.metadata.labels).toBeUndefined();
    expect(jobs).toEqual([
      {
        metadata: { name: 'pi' },
        status: {},
        managedBy: OWN_MANAGER,
        writes: { ours: '', others: '' },
        home: null,
      },
    ]);
    expect(cronJobs).toEqual([{ metadata: { name: 'nightly' }, managedBy: OWN_MANAGER, suspended: true }]);
  });
});
