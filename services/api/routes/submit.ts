import { z } from 'zod';
import type { Claim } from '../../../workflows/kubernetes/names.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { Caller } from '../../adapters/http/caller.ts';
import { isWithin, reaches, type Places } from '../../adapters/places.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import * as values from '../schemas/values.ts';
import { rightsIn } from '../cluster-rights.ts';
import { manifestSchema, submitted } from '../submission/manifest.ts';
import { submit, type CreatedJob } from '../submission/submit.ts';
import { recordedInstant } from '../../read-model/views.ts';

/** The API server limits Jobs itself: it stores at most 1.5 MiB of one. */
export const MANIFEST_BYTES = 3 * 1024 * 1024;

const createdSchema = z
  .object({
    cluster: z.string(),
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    managed_by: z.string().nullable(),
    created_at: recordedInstant,
    dry_run: z.boolean(),
  })
  .meta({ id: 'CreatedJob' });

/** Submits Jobs to the configured clusters. */
export function addSubmitRoute(
  server: HttpServer,
  { clusters, claim }: { clusters: readonly KubernetesClient[]; claim: Claim },
): void {
  const requireRight = rightsIn(clusters);
  const clientOf = (name: string, places: Places): KubernetesClient => {
    const client = clusters.find(({ cluster }) => cluster === name);
    if (client !== undefined) return client;
    const visible = clusters.filter(({ cluster }) => reaches(places, cluster));
    const known = visible.map(({ cluster }) => cluster).join(', ');
    throw new ProblemError('not-found', `this API cannot submit to a cluster "${name}"; available: ${known}`);
  };
  server.route({
    method: 'POST',
    url: '/v1/clusters/:cluster/jobs',
    config: { scope: 'submit', problems: ['not-found', 'conflict', 'refused-by-cluster'] },
    bodyLimit: MANIFEST_BYTES,
    schema: {
      operationId: 'submitJob',
      summary: 'Create a Job in a cluster',
      description:
        'The manifest is sent to the API server with strict validation; its message is returned when it refuses. Unless the manifest names a controller, Jobledger drives the Job. An existing name is a conflict, so a repeated request creates no second Job, except with generateName.',
      tags: ['Operate'],
      params: z.object({ cluster: values.clusterName }),
      querystring: z.strictObject({
        dry_run: z.enum(['true', 'false']).default('false').describe('Only validate; create nothing'),
      }),
      body: manifestSchema,
      response: {
        200: createdSchema.describe('The Job would be created'),
        201: createdSchema.describe('The Job was created'),
      },
    },
    handler: async ({ params, query, body, caller }, reply) => {
      const namespace = body.metadata.namespace ?? 'default';
      requireWithin(caller, params.cluster, namespace);
      const client = clientOf(params.cluster, caller.places);
      await requireRight(caller, client.cluster, { verb: 'create', namespace });
      const dryRun = query.dry_run === 'true';
      const job = await submit(client, submitted(body, { claim, by: caller.name }), { dryRun });
      const created = shown(client.cluster, job, dryRun);
      if (!dryRun) reply.header('location', locationOf(created));
      return reply.code(dryRun ? 200 : 201).send(created);
    },
  });
}

/** The same response whether the namespace exists or not. @throws ProblemError when the caller has no rights there. */
function requireWithin({ name, places, person }: Caller, cluster: string, namespace: string): void {
  if (isWithin(places, cluster, namespace)) return;
  const bearer = person === null ? `the token "${name}"` : `"${name}"`;
  throw new ProblemError('forbidden', `${bearer} has no rights in ${cluster}/${namespace}`);
}

function shown(
  cluster: string,
  { metadata, spec }: CreatedJob,
  dryRun: boolean,
): z.infer<typeof createdSchema> {
  const { namespace, name, uid, creationTimestamp } = metadata;
  const managed_by = spec.managedBy ?? null;
  return { cluster, namespace, name, uid, managed_by, created_at: creationTimestamp, dry_run: dryRun };
}

/** URL of the Job, valid once the Job was observed. */
function locationOf({ cluster, namespace, name, uid }: z.infer<typeof createdSchema>): string {
  const query = new URLSearchParams({ cluster, namespace, uid });
  return `/v1/jobs/${encodeURIComponent(name)}?${query.toString()}`;
}
