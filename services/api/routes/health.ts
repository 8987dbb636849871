import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { Readiness } from '../readiness.ts';

const readinessSchema = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'unavailable'])
      .describe('ready: everything responds; degraded: queries work; unavailable: queries fail'),
    parts: z.record(
      z.string(),
      z.object({ status: z.enum(['ok', 'behind', 'down']), detail: z.string().optional() }),
    ),
  })
  .meta({ id: 'Readiness' });

/** The health of the process and of the servers that it needs, and the OpenAPI description. */
export function addHealthRoutes(server: HttpServer, readiness: () => Promise<Readiness>): void {
  server.route({
    method: 'GET',
    url: '/healthz',
    config: { scope: 'none', isProbe: true },
    schema: {
      operationId: 'isAlive',
      summary: 'Responds when this process is running',
      tags: ['Health'],
      response: { 200: z.object({ status: z.literal('ok') }) },
    },
    handler: () => Promise.resolve({ status: 'ok' as const }),
  });
  server.route({
    method: 'GET',
    url: '/readyz',
    // The API checks the parts at most once a second, for any number of requests.
    config: { scope: 'none', isProbe: true },
    schema: {
      operationId: 'isReady',
      summary: 'The readiness of the parts on which the API depends',
      description:
        'The status is 503 when Postgres does not answer or no token is valid, because every query needs both. The response lists the other parts that are down, too.',
      tags: ['Health'],
      response: { 200: readinessSchema, 503: readinessSchema },
    },
    handler: async (_request, reply) => {
      const found = await readiness();
      return reply.code(found.status === 'unavailable' ? 503 : 200).send(found);
    },
  });
  server.route({
    method: 'GET',
    url: '/openapi.json',
    config: { scope: 'none' },
    schema: { hide: true },
    handler: (_request, reply) => reply.send(server.swagger()),
  });
}
