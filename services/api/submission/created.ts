import { z } from 'zod';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { includesCluster, type Places } from '../../adapters/places.ts';
import type { createdSchema } from '../schemas/job.ts';

/** The fields of the created Job that the response contains. */
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

type Created = z.infer<typeof createdSchema>;

/** The response about a Job that was created, or that would be created. */
export function createdResponse(cluster: string, { metadata, spec }: CreatedJob, dryRun: boolean): Created {
  const { namespace, name, uid, creationTimestamp } = metadata;
  const managed_by = spec.managedBy ?? null;
  return { cluster, namespace, name, uid, managed_by, created_at: creationTimestamp, dry_run: dryRun };
}

/** The URL of the Job, which is valid once the Job was observed. */
export function locationHeader({ cluster, namespace, name, uid }: Created): string {
  const query = new URLSearchParams({ cluster, namespace, uid });
  return `/v1/jobs/${encodeURIComponent(name)}?${query.toString()}`;
}

/**
 * The client of a cluster.
 * @throws ProblemError, with the clusters that the caller may know, if this API cannot submit to the cluster.
 */
export function clientOfCluster(
  clusters: readonly KubernetesClient[],
  name: string,
  places: Places,
): KubernetesClient {
  const client = clusters.find(({ cluster }) => cluster === name);
  if (client !== undefined) return client;
  const visible = clusters.filter(({ cluster }) => includesCluster(places, cluster));
  const known = visible.map(({ cluster }) => cluster).join(', ');
  throw new ProblemError('not-found', `this API cannot submit to a cluster "${name}"; available: ${known}`);
}
