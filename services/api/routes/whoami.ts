import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { AccessScope, Caller } from '../access/caller.ts';
import { whoamiSchema, type Whoami } from '../schemas/whoami.ts';

/** The caller with its scopes and their places, for `jobledger login` and `jobledger whoami`. */
export function addWhoamiRoute(server: HttpServer): void {
  server.route({
    method: 'GET',
    url: '/v1/whoami',
    config: { scope: 'any' },
    schema: {
      operationId: 'whoami',
      summary: 'The caller as this API knows it, with its scopes and their places',
      tags: ['Operate'],
      querystring: z.strictObject({}),
      response: { 200: whoamiSchema },
    },
    handler: ({ caller }) => Promise.resolve(toWhoami(caller)),
  });
}

/** The response about a caller. */
export function toWhoami(caller: Caller): Whoami {
  const { name, person, scopes } = caller;
  return {
    name,
    groups: [...(person?.groups ?? [])],
    scopes: [...scopes],
    rights: scopes.map((scope) => ({ scope, places: placesOfScope(caller, scope) })),
  };
}

function placesOfScope(caller: Caller, scope: AccessScope): Whoami['rights'][number]['places'] {
  const grants = (caller.grants ?? [caller]).filter(({ scopes }) => scopes.includes(scope));
  if (grants.some(({ places }) => places === null)) return null;
  const places = grants.flatMap((grant) => grant.places ?? []);
  return [...new Map(places.map((place) => [`${place.cluster}/${place.namespace}`, { ...place }])).values()];
}
