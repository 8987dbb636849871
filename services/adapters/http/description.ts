import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { RouteOptions } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { problemSchema, statusTitles, type ProblemKind } from './problem.ts';

export interface About {
  title: string;
  version: string;
  description: string;
}

const CONTENT = { 'application/problem+json': { schema: problemSchema } };

/** The problems that every route may respond with: an invalid value, a limit, a failure. */
const OF_ALL: readonly ProblemKind[] = [
  'bad-request',
  'too-many-requests',
  'internal',
  'unavailable',
  'timeout',
];
const OF_SCOPED: readonly ProblemKind[] = ['unauthorized', 'forbidden'];
const OF_POST: readonly ProblemKind[] = ['body-too-large', 'unsupported-media-type'];

/** The problems of a route, by status, in the form of RFC 9457. */
function problemResponses({ method, config }: RouteOptions): Record<string, object> {
  const kinds = [
    ...OF_ALL,
    ...(config?.scope === 'none' ? [] : OF_SCOPED),
    ...(method === 'POST' ? OF_POST : []),
    ...(config?.problems ?? []),
  ];
  const responses = [...statusTitles(kinds)].map(([status, description]) => [
    status,
    { description, content: CONTENT },
  ]);
  return Object.fromEntries(responses) as Record<string, object>;
}

/** OpenAPI 3.1 description of the routes, from the schemas that the server validates with. */
export function apiDescription(about: About): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      servers: [{ url: '/', description: 'The API that serves this document' }],
      info: { ...about, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'A token with the named scope' },
        },
      },
    },
    transform: ({ schema, route, ...rest }) => {
      const scope = route.config?.scope;
      const security =
        scope === undefined || scope === 'none' ? [] : [{ token: scope === 'any' ? [] : [scope] }];
      const response = { ...problemResponses(route), ...(schema.response as object) };
      return jsonSchemaTransform({ schema: { ...schema, response, security }, route, ...rest });
    },
    transformObject: (document) => withoutUnusedSchemas(jsonSchemaTransformObject(document)),
  };
}

/** Removes the unused schemas, because every named schema is generated once for input and once for output. */
function withoutUnusedSchemas(document: ReturnType<typeof jsonSchemaTransformObject>): typeof document {
  const { components = {} } = document as { components?: { schemas?: Record<string, unknown> } };
  const { schemas = {} } = components;
  const text = JSON.stringify(document);
  const used = Object.entries(schemas).filter(([name]) => text.includes(`"#/components/schemas/${name}"`));
  const kept = { ...document, components: { ...components, schemas: Object.fromEntries(used) } };
  return used.length === Object.keys(schemas).length
    ? document
    : withoutUnusedSchemas(kept as typeof document);
}
