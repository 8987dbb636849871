import { KubernetesApiError, UnavailableError } from '../../adapters/errors.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Manifest } from './manifest.ts';

/** The fields of the created Job that are returned. */
export interface CreatedJob {
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion?: string;
    creationTimestamp: string;
  };
  spec: { managedBy?: string };
}

/**
 * Creates a Job in a cluster; with `dryRun`, the cluster only validates it.
 * @throws ProblemError with the cluster's message when it refuses.
 */
export async function submit(
  client: KubernetesClient,
  manifest: Manifest,
  { dryRun }: { dryRun: boolean },
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

/** The problem of a failed request to a cluster; `unknown` says what is not known when it does not answer. */
export function clusterProblem(error: unknown, cluster: string, unknown: string): unknown {
  if (error instanceof UnavailableError)
    return new ProblemError('unavailable', `the cluster "${cluster}" does not answer; ${unknown}`, {
      cause: error,
      headers: { 'retry-after': '2' },
    });
  if (!(error instanceof KubernetesApiError)) return error;
  const { status, exactText } = error;
  const words = `cluster "${cluster}": ${exactText}`;
  if (status === 404) return new ProblemError('not-found', words);
  if (status === 409) return new ProblemError('conflict', words);
  if (status === 429 || status >= 500)
    return new ProblemError('unavailable', words, {
      headers: { 'retry-after': String(error.retryAfter ?? 2) },
    });
  return new ProblemError('refused-by-cluster', words);
}
