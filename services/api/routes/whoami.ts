import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { whoamiSchema } from '../schemas/whoami.ts';

/** The caller and its scopes: for `jobledger login`, and to show the rights of a token. */
export function addWhoamiRoute(server: HttpServer): void {
  server.route({
    method: 'GET',
    url: '/v1/whoami',
    config: { scope: 'any' },
    schema: {
      operationId: 'whoami',
      summary: 'The caller as this API knows it, with its scopes',
      tags: ['Operate'],
      querystring: z.strictObject({}),
      response: { 200: whoamiSchema },
    },
    handler: ({ caller: { name, person, scopes } }) =>
      Promise.resolve({ name, groups: [...(person?.groups ?? [])], scopes: [...scopes] }),
  });
}
