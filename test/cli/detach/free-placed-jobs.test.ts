import { describe, expect, it } from '@jest/globals';
import { freePlacedJobs, type FreedJobs } from '../../../cli/verbs/detach/free-placed-jobs.ts';
import { planDetach } from '../../../cli/verbs/detach/plan.ts';
import { UnavailableError } from '../../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { PLACEMENT_FINALIZER } from '../../../workflows/kubernetes/names.ts';
import { refused } from './a-played-lease.ts';
import { aSurvey, aSurveyedPlacedJob } from './a-survey.ts';

const OTHER = 'example.com/other';
const held = { finalizers: [OTHER, PLACEMENT_FINALIZER] };

interface Sent {
  freed: FreedJobs;
  patches: { path: string; body: unknown }[];
}

/** Frees these placed Jobs, on a server that answers each patch so; null: it is done. `live`: other UIDs than surveyed. */
async function free(
  names: readonly string[],
  answer: (path: string, asked: number) => Error | null = () => null,
  { live = {}, permit = () => undefined }: { live?: Record<string, string>; permit?: () => void } = {},
): Promise<Sent> {
  const jobs = [aSurveyedPlacedJob('not-held'), ...names.map((name) => aSurveyedPlacedJob(name, held))];
  const patches: Sent['patches'] = [];
  const client: KubernetesClient = {
    cluster: 'east',
    request<R>({ method, path, body }: ApiRequest): Promise<R> {
      const job = jobs.find(({ metadata }) => path.endsWith(`/jobs/${metadata.name}`));
      if (method === 'PATCH') {
        patches.push({ path, body });
        const error = answer(path, patches.length);
        if (error !== null) return Promise.reject(error);
      }
      const uid = live[job?.metadata.name ?? ''] ?? job?.metadata.uid;
      return Promise.resolve({ metadata: { ...job?.metadata, uid }, spec: {}, status: {} } as R);
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
  const plan = planDetach(aSurvey({ jobs }), { claim: 'managed', controllers: ['job'] });
  const { signal } = new AbortController();
  return { freed: await freePlacedJobs(plan, { client, signal, permit }), patches };
}

describe('a detachment that frees the placed Jobs of a cluster', () => {
  it('removes the finalizer of Jobledger from each Job in the version that it has read, and leaves other finalizers', async () => {
    const { freed, patches } = await free(['pi']);
    expect(freed).toEqual({ freed: 1, gone: 0, failed: [] });
    expect(patches).toEqual([
      {
        path: '/apis/batch/v1/namespaces/default/jobs/pi',
        body: { metadata: { uid: 'job-pi', resourceVersion: '1', finalizers: [OTHER] } },
      },
    ]);
  });

  it('does not change a different Job with the same name', async () => {
    const { freed, patches } = await free(['pi'], undefined, { live: { pi: 'later' } });
    expect(freed).toEqual({ freed: 0, gone: 1, failed: [] });
    expect(patches).toEqual([]);
  });

  it('continues when the API server refuses one patch, and names the Job', async () => {
    const { freed } = await free(['a', 'b'], (path) =>
      path.endsWith('/a') ? refused(403, 'Jobs are frozen') : null,
    );
    expect(freed).toEqual({
      freed: 1,
      gone: 0,
      failed: [{ job: 'default/a', reason: 'Jobs are frozen' }],
    });
  });

  it('repeats a patch that a busy API server has not answered', async () => {
    const { freed, patches } = await free(['pi'], (_path, asked) =>
      asked === 1 ? new UnavailableError('no answer') : null,
    );
    expect([freed.freed, patches.length]).toEqual([1, 2]);
  });

  it('changes nothing when the Lease is lost', async () => {
    const lost = new UnavailableError('the Lease was lost');
    const sent = free(['pi'], undefined, {
      permit: () => {
        throw lost;
      },
    });
    await expect(sent).rejects.toBe(lost);
  });
});
