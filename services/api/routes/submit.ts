import { z } from 'zod';
import type { Claim } from '../../../workflows/kubernetes/names.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { Caller } from '../access/caller.ts';
import { isWithin } from '../../adapters/places.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import * as values from '../schemas/values.ts';
import { createRightCheck } from '../cluster-rights.ts';
import { createdSchema } from '../schemas/job.ts';
import { clientOfCluster, locationHeader, createdResponse } from '../submission/created.ts';
import { manifestSchema, submittedManifest } from '../submission/manifest.ts';
import { requirePlacedWithin } from '../submission/placed-within.ts';
import { submitJob } from '../submission/submit.ts';
import type { RequireOrdinary } from '../submission/reserved.ts';
import type { Submissions } from '../submission/submissions.ts';

/** The largest body. The API server itself stores Jobs of at most 1.5 MiB. */
export const MANIFEST_BYTES = 3 * 1024 * 1024;

interface SubmitDependencies {
  clusters: readonly KubernetesClient[];
  claim: Claim;
  requireOrdinary: RequireOrdinary;
  submissions: Submissions;
}

/** Submits Jobs to the configured clusters. */
export function addSubmitRoute(
  server: HttpServer,
  { clusters, claim, requireOrdinary, submissions }: SubmitDependencies,
): void {
  const requireRight = createRightCheck(clusters);
  server.route({
    method: 'POST',
    url: '/v1/clusters/:cluster/jobs',
    config: { scope: 'submit', problems: ['not-found', 'conflict', 'refused-by-cluster'] },
    bodyLimit: MANIFEST_BYTES,
    schema: {
      operationId: 'submitJob',
      summary: 'Create a Job in a cluster',
      description:
        'The API sends the manifest to the API server with strict validation. If the API server refuses the manifest, the response contains its message. Unless the manifest names a controller, Jobledger controls the Job. An existing name is a conflict, so a repeated request creates no second Job, except with generateName.',
      tags: ['Operate'],
      params: z.object({ cluster: values.clusterName }),
      querystring: z.strictObject({
        dry_run: z
          .enum(['true', 'false'])
          .default('false')
          .describe('Only validate the Job, and create nothing'),
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
      requireOrdinary(caller, params.cluster, namespace);
      requirePlacedWithin(caller, namespace, body);
      const client = clientOfCluster(clusters, params.cluster, caller.places);
      await requireRight(caller, client.cluster, { verb: 'create', namespace });
      const dryRun = query.dry_run === 'true';
      const by = caller.name;
      const job = await submitJob(client, submittedManifest(body, { claim, by }), {
        submissions,
        by,
        dryRun,
      });
      const created = createdResponse(client.cluster, job, dryRun);
      if (!dryRun) reply.header('location', locationHeader(created));
      return reply.code(dryRun ? 200 : 201).send(created);
    },
  });
}

/**
 * Checks the caller's rights in a namespace. The response does not reveal whether the namespace exists.
 * @throws ProblemError when the caller has no rights in it.
 */
function requireWithin({ name, places, person }: Caller, cluster: string, namespace: string): void {
  if (isWithin(places, cluster, namespace)) return;
  const bearer = person === null ? `the token "${name}"` : `"${name}"`;
  throw new ProblemError('forbidden', `${bearer} has no rights in ${cluster}/${namespace}`);
}
