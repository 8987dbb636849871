import { describe, expect, it } from '@jest/globals';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { writeStatus } from '../../services/worker/activities/job/change-job.ts';
import type { Condition, JobStatus } from '../../workflows/kubernetes/objects.ts';
import { jobObject, START } from '../support/builders.ts';
import { createModelApi } from '../support/model-cluster-api.ts';
import { createModelClient } from '../support/model-cluster-client.ts';
import { aCommandContext } from './a-command-context.ts';

const foreign: Condition = { type: 'example.com/Checked', status: 'True' };
const FROM: JobStatus = {
  active: 2,
  ready: 1,
  startTime: '2026-03-01T12:00:00Z',
  uncountedTerminatedPods: { succeeded: ['uid-1'] },
  conditions: [foreign],
};
const TO: JobStatus = {
  active: 1,
  startTime: '2026-03-01T12:00:00Z',
  succeeded: 1,
  uncountedTerminatedPods: {},
};

interface Written {
  outcome: Awaited<ReturnType<typeof writeStatus>>;
  /** `PATCH`, `GET` and `PUT` on the Job or its status. */
  requests: string[];
  patch: unknown;
  status: JobStatus | undefined;
}

/**
 * Writes the status of a Job, as decided on generation 1; `now` is its status when another client has changed it since the decision, `job` other
 * fields that have changed.
 */
async function write(
  now?: JobStatus,
  refuse: (request: ApiRequest) => KubernetesApiError | null = () => null,
  to = TO,
  job: Parameters<typeof jobObject>[0] = {},
): Promise<Written> {
  const api = createModelApi(jobObject({ parallelism: 2, status: now ?? FROM, ...job }), START);
  const { resourceVersion = '' } = api.job?.metadata ?? {};
  const client = createModelClient(api);
  const asked: ApiRequest[] = [];
  const context = aCommandContext();
  const request = <T>(each: ApiRequest): Promise<T> => {
    asked.push(each);
    const error = refuse(each);
    return error === null ? client.request<T>(each) : Promise.reject(error);
  };
  const readJob = (): ReturnType<typeof context.readJob> => request({ method: 'GET', path: JOB });
  const outcome = await writeStatus(
    { ...context, client: { ...client, request }, readJob },
    {
      kind: 'WriteStatus',
      why: { rule: 'J-3.50', message: '' },
      resourceVersion: now === undefined ? resourceVersion : 'an older one',
      generation: 1,
      from: FROM,
      to,
      counted: { succeeded: [], failed: [] },
    },
  );
  return {
    outcome,
    requests: asked.map(({ method }) => method),
    patch: asked[0]?.body,
    status: api.job?.status,
  };
}

const JOB = '/apis/batch/v1/namespaces/default/jobs/pi';
const WRITTEN = { ...TO, conditions: [foreign] };

describe('the write of a Job status', () => {
  it('is a patch of the changed fields in the known version, without a read (J-1.25)', async () => {
    const { outcome, requests, patch, status } = await write();
    expect(requests).toEqual(['PATCH']);
    expect(patch).toEqual({
      metadata: { uid: jobObject().metadata.uid, resourceVersion: expect.any(String) },
      status: { active: 1, ready: null, succeeded: 1, uncountedTerminatedPods: { succeeded: null } },
    });
    expect(status).toEqual(WRITTEN);
    expect(outcome).toMatchObject({ kind: 'WriteStatus', result: 'written', job: { status: WRITTEN } });
  });

  it('is repeated on the newest version when another client changed another field, and retains that change', async () => {
    const checked = { ...FROM, conditions: [{ ...foreign, status: 'False' as const }] };
    const { requests, status } = await write(checked);
    expect(requests).toEqual(['PATCH', 'GET', 'PUT']);
    expect(status).toEqual({ ...TO, conditions: [{ ...foreign, status: 'False' }] });
  });

  it('is a conflict when another client changed a field that Jobledger writes', async () => {
    const { outcome, requests } = await write({ ...FROM, active: 5 });
    expect(requests).toEqual(['PATCH', 'GET']);
    expect(outcome).toMatchObject({ result: 'conflict', job: { status: { active: 5 } } });
  });

  it('counts as done when an earlier attempt has written it', async () => {
    const { outcome, requests } = await write(WRITTEN);
    expect(requests).toEqual(['PATCH', 'GET']);
    expect(outcome).toMatchObject({ result: 'written' });
  });

  it('is a read and an update when the account may not patch', async () => {
    const { outcome, requests, status } = await write(undefined, ({ method }) =>
      method === 'PATCH'
        ? new KubernetesApiError({ status: 403, reason: 'Forbidden', message: 'no', causes: [] })
        : null,
    );
    expect(requests).toEqual(['PATCH', 'GET', 'PUT']);
    expect(status).toEqual(WRITTEN);
    expect(outcome).toMatchObject({ result: 'written' });
  });

  it.each([
    ['was resumed, because its start time would be refused (J-1.40)', { suspend: false }, 'Suspended'],
    [
      'was scaled up: it has not completed all indexes',
      { completions: 20, parallelism: 20 },
      'SuccessCriteriaMet',
    ],
    ['got a higher backoffLimit: it has not failed', { backoffLimit: 100 }, 'FailureTarget'],
  ])('is a conflict when the Job %s', async (_what, spec, type) => {
    const decided = { ...FROM, conditions: [foreign, { type, status: 'True' }] };
    const { outcome, requests, status } = await write(FROM, undefined, decided, { ...spec, generation: 2 });
    expect(outcome).toMatchObject({ kind: 'WriteStatus', result: 'conflict', job: { generation: 2 } });
    expect(requests).toEqual(['PATCH', 'GET']);
    expect(status).toEqual(FROM);
  });
});
