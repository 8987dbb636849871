import { z } from 'zod';
import type { Claim } from '../../../workflows/kubernetes/names.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { Caller } from '../access/caller.ts';
import { isWithin } from '../../adapters/places.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import * as values from '../schemas/values.ts';
import { rightsIn } from '../cluster-rights.ts';
import { createdSchema } from '../schemas/job.ts';
import { clusterNamed, locationHeader, createdResponse } from '../submission/created.ts';
import { manifestSchema, submittedManifest } from '../submission/manifest.ts';
import { requirePlacedWithin } from '../submission/placed-within.ts';
import { submit } from '../submission/submit.ts';
import type { RequireOrdinary } from '../submission/reserved.ts';
import type { Submissions } from '../submission/submissions.ts';

/** The API server limits Jobs itself: it stores at most 1.5 MiB of a Job. */
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
  const requireRight = rightsIn(clusters);
  server.route({
    method: 'POST',
    url: '/v1/clusters/:cluster/jobs',
    config: { scope: 'submit', problems: ['not-found', 'conflict', 'refused-by-cluster'] },
    bodyLimit: MANIFEST_BYTES,
    schema: {
      operationId: 'submitJob',
      summary: 'Create a Job in a cluster',
      description:
        'The manifest is sent to the API server with strict validation; its message is returned if it refuses. Unless the manifest names a controller, Jobledger controls the Job. An existing name is a conflict, so a repeated request creates no second Job, except with generateName.',
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
      requireOrdinary(caller, params.cluster, namespace);
      requirePlacedWithin(caller, namespace, body);
      const client = clusterNamed(clusters, params.cluster, caller.places);
      await requireRight(caller, client.cluster, { verb: 'create', namespace });
      const dryRun = query.dry_run === 'true';
      const by = caller.name;
      const job = await submit(client, submittedManifest(body, { claim, by }), { submissions, by, dryRun });
      const created = createdResponse(client.cluster, job, dryRun);
      if (!dryRun) reply.header('location', locationHeader(created));
      return reply.code(dryRun ? 200 : 201).send(created);
    },
  });
}

/** Responds in the same way whether the namespace exists or not. @throws ProblemError when the caller has no rights there. */
function requireWithin({ name, places, person }: Caller, cluster: string, namespace: string): void {
  if (isWithin(places, cluster, namespace)) return;
  const bearer = person === null ? `the token "${name}"` : `"${name}"`;
  throw new ProblemError('forbidden', `${bearer} has no rights in ${cluster}/${namespace}`);
}
