import type { ObjectRef } from '../../../workflows/activities.ts';
import type { ApiFailure } from '../../../workflows/decision/api-failure.ts';
import type { Job, Pod } from '../../../workflows/kubernetes/objects.ts';
import { isAbsent, isConflict, KubernetesApiError, type UnavailableError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { pathSegment } from '../../adapters/kubernetes/path-segment.ts';

/** The dependencies for a request about objects in the namespace of the Job or CronJob. */
export interface Requesting {
  client: KubernetesClient;
  /** The requests are the same for every kind. */
  job: Omit<ObjectRef, 'kind'>;
  signal: AbortSignal;
}

/** The path of the pods of the namespace. */
export function podsPath({ namespace }: Pick<ObjectRef, 'namespace'>): string {
  return `/api/v1/namespaces/${pathSegment(namespace)}/pods`;
}

export function podPath(job: Pick<ObjectRef, 'namespace'>, name: string): string {
  return `${podsPath(job)}/${pathSegment(name)}`;
}

/** The path of the Jobs of the namespace. */
export function jobsPath({ namespace }: Pick<ObjectRef, 'namespace'>): string {
  return `/apis/batch/v1/namespaces/${pathSegment(namespace)}/jobs`;
}

export function jobPath(job: Pick<ObjectRef, 'namespace' | 'name'>, name: string = job.name): string {
  return `${jobsPath(job)}/${pathSegment(name)}`;
}

/** Reads a pod; null when the pod does not exist. */
export function readPod({ client, job, signal }: Requesting, name: string): Promise<Pod | null> {
  return client.request<Pod>({ method: 'GET', path: podPath(job, name), signal }).catch(nullIfNotFound);
}

/** Reads any Job of the namespace; null when the Job does not exist. */
export function readJobNamed({ client, job, signal }: Requesting, name: string): Promise<Job | null> {
  return client.request<Job>({ method: 'GET', path: jobPath(job, name), signal }).catch(nullIfNotFound);
}

/** The present version of the Jobs of the namespace. A list without a resourceVersion shows the newest state. */
export async function readVersionOfJobs({ client, job, signal }: Requesting): Promise<string> {
  const path = `${jobsPath(job)}?limit=1`;
  const list = await client.request<{ metadata: { resourceVersion: string } }>({
    method: 'GET',
    path,
    signal,
  });
  return list.metadata.resourceVersion;
}

/** Reads the Job itself; null when the Job is gone, or another Job has its name. */
export async function readThisJob({ client, job, signal }: Requesting): Promise<Job | null> {
  const found = await readJobNamed({ client, job, signal }, job.name);
  return found?.metadata.uid === job.uid ? found : null;
}

/**
 * Reads a Job of the namespace, and the time of the API server that answered, in milliseconds. The time is 0 when the
 * answer contains no time.
 */
export async function readJobAtTime(
  { client, job, signal }: Requesting,
  name: string,
): Promise<{ job: Job | null; serverTime: number }> {
  let serverTime = 0;
  const found = await client
    .request<Job>({
      method: 'GET',
      path: jobPath(job, name),
      signal,
      onServerTime: (time) => void (serverTime = time),
    })
    .catch(nullIfNotFound);
  return { job: found, serverTime };
}

/** Turns the error of a GET for an absent object into null. */
export function nullIfNotFound(error: unknown): null {
  if (isNotFound(error)) return null;
  throw error;
}

export { isConflict };

/** True when the API server itself reports that the object of the request does not exist. */
export const isNotFound = isAbsent;

export function isForbidden(error: unknown): boolean {
  return error instanceof KubernetesApiError && error.status === 403;
}

/**
 * Converts a refusal by the API to a failure with the exact text of the server, which Events contain and
 * `recordableOutcome` removes. @throws the error of an outage, which is not an outcome, so that the attempt is
 * repeated.
 */
export function toApiFailure(error: unknown): ApiFailure {
  if (!(error instanceof KubernetesApiError)) throw error;
  if (error.meaning === 'outage' || error.meaning === 'throttled') throw error;
  return { status: error.status, reason: error.reason, message: error.exactText };
}

const IN_PARALLEL = 50;

/**
 * Runs `act` for many items, some items at a time, and returns the results in order. If `act` throws, the call fails
 * after the items in progress have ended.
 */
export async function mapInBatches<T, A>(items: readonly T[], act: (item: T) => Promise<A>): Promise<A[]> {
  const answers: A[] = [];
  for (let at = 0; at < items.length; at += IN_PARALLEL) {
    const settled = await Promise.allSettled(items.slice(at, at + IN_PARALLEL).map(act));
    for (const one of settled) {
      if (one.status === 'rejected') throw one.reason as UnavailableError;
      answers.push(one.value);
    }
  }
  return answers;
}
