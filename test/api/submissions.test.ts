import { describe, expect, it } from '@jest/globals';
import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { manifestSchema, submittedManifest } from '../../services/api/submission/manifest.ts';
import { submitJob, type SubmitOptions } from '../../services/api/submission/submit.ts';
import { createSubmissions } from '../../services/api/submission/submissions.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { eventually } from '../support/eventually.ts';

const OF_ANOTHER = { 'jobledger.dev/submission': 'of-another' };
const MANIFEST = submittedManifest(
  manifestSchema.parse({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'pi', namespace: 'maths', annotations: OF_ANOTHER },
    spec: { template: {} },
  }),
  { claim: 'managed', by: 'ann' },
);

interface Case extends Partial<Pick<SubmitOptions, 'retryOf' | 'dryRun'>> {
  refused?: boolean;
  /** Which appends fail, by number from 1. */
  failing?: readonly number[];
}

/** Submits, and returns in order what was recorded and created; `error`: what the caller gets instead of the Job. */
async function afterSubmitting({ refused = false, failing = [], retryOf, dryRun = false }: Case) {
  const done: (LedgerEvent | { annotations: Record<string, string> })[] = [];
  let appends = 0;
  const client: KubernetesClient = {
    cluster: 'east',
    request: <T>({ body }: { body?: unknown }) => {
      const { annotations = {} } = (body as typeof MANIFEST).metadata;
      if (refused)
        return Promise.reject(
          new KubernetesApiError({ status: 422, reason: 'Invalid', message: 'no', causes: [] }),
        );
      done.push({ annotations });
      const metadata = { name: 'pi', namespace: 'maths', uid: 'u1', creationTimestamp: 'now' };
      return Promise.resolve({ metadata, spec: {} } as T);
    },
    stream: () => Promise.reject(new Error('no streams')),
  };
  const submissions = createSubmissions({
    append: (events) => {
      appends += 1;
      if (failing.includes(appends)) return Promise.reject(new UnavailableError('Kafka is down'));
      done.push(...events);
      return Promise.resolve();
    },
    log: silentLog(),
    signal: new AbortController().signal,
  });
  const options = { submissions, by: 'ann', dryRun, ...(retryOf !== undefined && { retryOf }) };
  const error = await submitJob(client, MANIFEST, options).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { done, error };
}

describe('a submission of a Job', () => {
  it('is recorded before its Job is created, and is recorded again with the created Job', async () => {
    const { done, error } = await afterSubmitting({ retryOf: { uid: 'u0', name: 'tau' } });
    expect(error).toBeNull();
    const [command] = done;
    const submission =
      command !== undefined && 'data' in command ? (command.data as { submission: string }) : null;
    const id = submission?.submission ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(done).toEqual([
      {
        id: `east/submission/${id}`,
        type: 'submission.received',
        source: 'jobledger/requests',
        subject: 'maths/pi',
        time: expect.any(String),
        digest: expect.any(String),
        data: {
          cluster: 'east',
          submission: id,
          namespace: 'maths',
          name: 'pi',
          by: 'ann',
          retryOf: 'u0',
          retryOfName: 'tau',
        },
      },
      { annotations: { 'jobledger.dev/submitted-by': 'ann', 'jobledger.dev/submission': id } },
      {
        id: 'east/u1/submitted',
        type: 'job.submitted',
        source: 'jobledger/requests',
        subject: 'maths/pi',
        time: expect.any(String),
        digest: expect.any(String),
        data: { cluster: 'east', jobUid: 'u1', submission: id, by: 'ann', retryOf: 'u0', retryOfName: 'tau' },
      },
    ]);
  });

  it('creates no Job when the request cannot be recorded', async () => {
    const { done, error } = await afterSubmitting({ failing: [1] });
    expect(error).toBeInstanceOf(UnavailableError);
    expect(done).toEqual([]);
  });

  it('is recorded without a Job when the cluster refuses the Job', async () => {
    const { done, error } = await afterSubmitting({ refused: true });
    expect(error).not.toBeNull();
    expect(done).toMatchObject([{ type: 'submission.received' }]);
  });

  it('is completed later when Kafka does not answer after the creation of the Job, and the user need not wait', async () => {
    const { done, error } = await afterSubmitting({ failing: [2, 3] });
    expect(error).toBeNull();
    expect(done).toHaveLength(2);
    await eventually('the submission is complete', 5, () => Promise.resolve(done[2]));
    expect(done[2]).toMatchObject({ type: 'job.submitted', data: { jobUid: 'u1', by: 'ann' } });
  });

  it('is not recorded with dryRun, and its Job has no UID, not even the UID in a copied manifest', async () => {
    const { done } = await afterSubmitting({ dryRun: true });
    expect(done).toEqual([{ annotations: { 'jobledger.dev/submitted-by': 'ann' } }]);
  });
});
