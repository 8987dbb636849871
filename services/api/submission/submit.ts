import { KubernetesApiError, UnavailableError } from '../../adapters/errors.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { OtherNamespaceError } from '../../adapters/kubernetes/within-namespaces.ts';
import type { CreatedJob } from './created.ts';
import { withSubmissionId, type Manifest } from './manifest.ts';
import type { RetriedJob, Submissions } from './submissions.ts';

export interface SubmitOptions {
  submissions: Submissions;
  by: string;
  /** The Job to retry. */
  retryOf?: RetriedJob;
  dryRun: boolean;
}

/**
 * Creates a Job in a cluster and records its submitter; with `dryRun`, the cluster only validates it. @throws
 * ProblemError with the cluster's message if the cluster refuses the Job, UnavailableError if the submission cannot be
 * recorded.
 */
export async function submitJob(
  client: KubernetesClient,
  manifest: Manifest,
  { submissions, by, retryOf, dryRun }: SubmitOptions,
): Promise<CreatedJob> {
  if (dryRun) return createJob(client, manifest, { dryRun });
  const { namespace = 'default', name, generateName } = manifest.metadata;
  const request = { cluster: client.cluster, namespace, name, generateName, by, retryOf };
  const submission = await submissions.receive(request);
  const job = await createJob(client, withSubmissionId(manifest, submission), { dryRun });
  await submissions.complete(submission, request, job);
  return job;
}

async function createJob(
  client: KubernetesClient,
  manifest: Manifest,
  { dryRun }: Pick<SubmitOptions, 'dryRun'>,
): Promise<CreatedJob> {
  const namespace = encodeURIComponent(manifest.metadata.namespace ?? 'default');
  const query = `fieldManager=jobledger-api&fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`;
  try {
    return await client.request<CreatedJob>({
      method: 'POST',
      path: `/apis/batch/v1/namespaces/${namespace}/jobs?${query}`,
      body: manifest,
    });
  } catch (error) {
    throw clusterProblem(error, client.cluster, 'it is not known whether the Job was created');
  }
}

/** The problem of a failed request to a cluster; `unknown` describes the uncertainty if the cluster does not answer. */
export function clusterProblem(error: unknown, cluster: string, unknown: string): unknown {
  if (error instanceof OtherNamespaceError)
    return new ProblemError('refused-by-cluster', error.message, { cause: error });
  if (error instanceof UnavailableError)
    return new ProblemError('unavailable', `the cluster "${cluster}" does not answer; ${unknown}`, {
      cause: error,
      headers: { 'retry-after': '2' },
    });
  if (!(error instanceof KubernetesApiError)) return error;
  const { status, meaning, exactText } = error;
  const message = `cluster "${cluster}": ${exactText}`;
  // A 404 that is not an outage means that the Job or its namespace does not exist.
  if (status === 404 && meaning !== 'outage') return new ProblemError('not-found', message);
  if (status === 409) return new ProblemError('conflict', message);
  if (error.retryable)
    return new ProblemError('unavailable', message, {
      headers: { 'retry-after': String(error.retryAfter ?? 2) },
    });
  return new ProblemError('refused-by-cluster', message);
}
