import type { CronJob, Job, Pod } from '../../../workflows/kubernetes/objects.ts';
import { isTracked } from '../../../workflows/kubernetes/tracked.ts';
import { homeNamedBy } from '../../../workflows/placement/member-job.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { pathSegment } from '../../../services/adapters/kubernetes/path-segment.ts';
import { listPages } from '../../../services/adapters/kubernetes/watch.ts';
import { findLastWrites } from '../../../services/worker/status-writers.ts';
import type { Surveyed, SurveyedCronJob, SurveyedJob, SurveyedPod } from './surveyed.ts';

interface Scope {
  client: KubernetesClient;
  /** The only namespaces to read; an empty list means all namespaces. */
  namespaces: readonly string[];
  signal: AbortSignal;
}

const BATCH = '/apis/batch/v1';

/**
 * Reads pods before Jobs and CronJobs, so that the Job of a listed pod is also listed, unless the Job was deleted in the meantime. @throws
 * KubernetesApiError, UnavailableError.
 */
export async function survey(scope: Scope): Promise<Omit<Surveyed, 'members'>> {
  const pods: SurveyedPod[] = [];
  for await (const { metadata, status } of objectsIn<Pod>(scope, '/api/v1', 'pods'))
    if (isTracked(metadata)) pods.push({ metadata: essentialMetadata(metadata), phase: status?.phase });
  const jobs: SurveyedJob[] = [];
  for await (const { metadata, spec, status = {} } of objectsIn<Job>(scope, BATCH, 'jobs'))
    jobs.push({
      metadata: essentialMetadata(metadata),
      status,
      managedBy: spec.managedBy,
      writes: findLastWrites({ metadata }),
      home: homeNamedBy(metadata),
    });
  const cronJobs: SurveyedCronJob[] = [];
  for await (const { metadata, spec } of objectsIn<CronJob>(scope, BATCH, 'cronjobs'))
    cronJobs.push({
      metadata: essentialMetadata(metadata),
      managedBy: spec.jobTemplate?.spec.managedBy,
      suspended: spec.suspend === true,
    });
  return { cluster: scope.client.cluster, pods, jobs, cronJobs };
}

/** The metadata without labels, annotations and managed fields, which may be large. */
function essentialMetadata({ labels: _labels, annotations: _annotations, ...metadata }: Pod['metadata']) {
  const { managedFields: _managed, ...rest } = metadata as typeof metadata & { managedFields?: unknown };
  return rest;
}

/** Reads all objects of a resource, page by page, in the namespaces of the scope. */
async function* objectsIn<T>(
  { client, namespaces, signal }: Scope,
  group: string,
  resource: string,
): AsyncGenerator<T> {
  const paths =
    namespaces.length === 0
      ? [`${group}/${resource}`]
      : namespaces.map((namespace) => `${group}/namespaces/${pathSegment(namespace)}/${resource}`);
  for (const path of paths)
    for await (const { items } of listPages<T>(client, path, '', signal)) yield* items;
}
