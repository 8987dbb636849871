import type { CronJob, Job, Pod } from '../../../../workflows/kubernetes/objects.ts';
import { isTracked } from '../../../../workflows/kubernetes/tracked.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { pathSegment } from '../../../adapters/kubernetes/path-segment.ts';
import { pagesOf } from '../../../adapters/kubernetes/watch.ts';
import type { Surveyed, SurveyedCronJob, SurveyedJob, SurveyedPod } from './surveyed.ts';

interface Scope {
  client: KubernetesClient;
  /** The only ones that are read; empty: all. */
  namespaces: readonly string[];
  signal: AbortSignal;
}

/**
 * Reads pods, then Jobs and CronJobs: the Job of a pod that was listed is listed too, unless it was deleted in between.
 * @throws KubernetesApiError, UnavailableError.
 */
export async function survey(scope: Scope): Promise<Surveyed> {
  const pods = await listed<Pod, SurveyedPod>(scope, '/api/v1', 'pods', ({ metadata, status }) =>
    isTracked(metadata) ? { metadata: essential(metadata), phase: status?.phase } : null,
  );
  const jobs = await listed<Job, SurveyedJob>(
    scope,
    '/apis/batch/v1',
    'jobs',
    ({ metadata, spec, status = {} }) => ({
      metadata: essential(metadata),
      status,
      managedBy: spec.managedBy,
    }),
  );
  const cronJobs = await listed<CronJob, SurveyedCronJob>(
    scope,
    '/apis/batch/v1',
    'cronjobs',
    ({ metadata, spec }) => ({
      metadata: essential(metadata),
      managedBy: spec.jobTemplate?.spec.managedBy,
      suspended: spec.suspend === true,
    }),
  );
  return { pods, jobs, cronJobs };
}

/** Without labels and annotations, which may be large. */
function essential({ labels: _labels, annotations: _annotations, ...metadata }: Pod['metadata']) {
  const { managedFields: _managed, ...rest } = metadata as typeof metadata & { managedFields?: unknown };
  return rest;
}

async function listed<Read, Kept>(
  { client, namespaces, signal }: Scope,
  group: string,
  resource: string,
  keep: (object: Read) => Kept | null,
): Promise<Kept[]> {
  const paths =
    namespaces.length === 0
      ? [`${group}/${resource}`]
      : namespaces.map((namespace) => `${group}/namespaces/${pathSegment(namespace)}/${resource}`);
  const kept: Kept[] = [];
  for (const path of paths)
    for await (const { items } of pagesOf<Read>(client, path, '', signal))
      for (const item of items) {
        const object = keep(item);
        if (object !== null) kept.push(object);
      }
  return kept;
}
