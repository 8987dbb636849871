import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import { ANY } from '../../adapters/places.ts';
import type { Caller } from '../access/caller.ts';
import type { ReceiveAuditRecords } from '../audit/receive-audit-records.ts';
import * as values from '../schemas/values.ts';

/** A record has the request and the response, each with an object of at most 1.5 MiB. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** The maximum number of batches at the same time, because their bodies are in memory. */
const MOST_AT_A_TIME = 4;

const batchSchema = z
  .looseObject({
    kind: z.literal('EventList'),
    items: z.array(z.unknown()).describe('Records of the audit log; unusable records are counted'),
  })
  .meta({
    id: 'AuditBatch',
    description: 'An EventList of audit.k8s.io/v1, as an API server sends it',
    examples: [{ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [] }],
  });

const countsSchema = z
  .object({
    recorded: z.int().describe('Records of changes of Jobs and their pods'),
    ignored: z.int().describe('Records of other requests'),
    unknown: z
      .int()
      .describe(
        'Records without the UID of the object, because the audit policy does not include the response',
      ),
    unreadable: z.int().describe('Items that are not records of an audit log'),
    limited: z.int().describe('Changes that are not recorded, because their namespace had too many changes'),
  })
  .meta({ id: 'AuditCounts' });

/** Receives the audit log of a cluster from the webhook of its API server. */
export function addAuditRoute(server: HttpServer, { receive }: { receive: ReceiveAuditRecords }): void {
  let begun = 0;
  server.route({
    method: 'POST',
    url: '/v1/audit/:cluster',
    config: { scope: 'audit', problems: ['body-too-large', 'unavailable'] },
    bodyLimit: BATCH_BYTES,
    schema: {
      operationId: 'sendAuditRecords',
      summary: 'Send records of the audit log of a cluster',
      description:
        'The audit webhook of an API server calls this route. Repeated records change nothing. The token must be valid for this cluster only (in=CLUSTER/*). For each change of a Job or its pods, the user, the time and the changed fields are recorded, but no body.',
      tags: ['Operate'],
      params: z.object({ cluster: values.clusterName }),
      querystring: z.strictObject({
        timeout: z
          .string()
          .max(20)
          .optional()
          .describe('API servers send this parameter; it is ignored')
          .meta({ examples: ['30s'] }),
      }),
      body: batchSchema,
      response: { 200: countsSchema },
    },
    onRequest: async (_request, reply) => {
      if (begun >= MOST_AT_A_TIME)
        throw new ProblemError(
          'unavailable',
          `${begun} other batches are being recorded; send this batch again later`,
          {
            headers: { 'retry-after': '1' },
          },
        );
      begun += 1;
      reply.raw.once('close', () => (begun -= 1));
    },
    handler: ({ caller, params, body }) => {
      requireTokenOfCluster(caller, params.cluster);
      return receive(params.cluster, body.items);
    },
  });
}

/**
 * A record does not name its cluster, so the token must identify the cluster.
 * @throws ProblemError unless the token is for all of this cluster and for no other.
 */
function requireTokenOfCluster({ name, places, person }: Caller, cluster: string): void {
  const isOfIt =
    places?.every((place) => place.cluster === cluster && place.namespace === ANY) === true &&
    places.length > 0;
  if (isOfIt && person === null) return;
  throw new ProblemError(
    'forbidden',
    `records of the audit log of "${cluster}" need a token of the file that is for this cluster only (in=${cluster}/*); "${name}" is not`,
  );
}
