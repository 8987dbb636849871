import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/server.ts';
import type { Readiness } from '../readiness.ts';

const readinessSchema = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'unavailable'])
      .describe('ready: everything answers; degraded: questions are answered; unavailable: nothing is'),
    parts: z.record(
      z.string(),
      z.object({ status: z.enum(['ok', 'behind', 'down']), detail: z.string().optional() }),
    ),
  })
  .meta({ id: 'Readiness' });

/** Is the process alive, and which of the parts that it needs are. Also where the description of the API is. */
export function addHealthRoutes(server: HttpServer, readiness: () => Promise<Readiness>): void {
  server.route({
    method: 'GET',
    url: '/healthz',
    config: { scope: 'none' },
    schema: {
      operationId: 'isAlive',
      summary: 'Whether this process lives',
      tags: ['Health'],
      response: { 200: z.object({ status: z.literal('ok') }) },
    },
    handler: () => Promise.resolve({ status: 'ok' as const }),
  });
  server.route({
    method: 'GET',
    url: '/readyz',
    config: { scope: 'none' },
    schema: {
      operationId: 'isReady',
      summary: 'Which of the parts are up',
      description:
        '503 when Postgres does not answer: nothing can be told then. Other parts that are down are named.',
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
