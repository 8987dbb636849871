import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import type { ApiAnswer, ApiDocument } from '../support/api-client.ts';
import { documentDifference } from '../support/documented-answers.ts';
import {
  schemaExamples,
  listOperations,
  arbitraryRequests,
  type DocumentedRequest,
  type Schema,
} from '../support/documented-requests.ts';
import { stubApi } from '../support/stub-api.ts';
import { extent } from '../support/extent.ts';

/** Requests in all; their seeds differ from run to run. */
const REQUESTS = extent(1000, 10_000);

let server: HttpServer;
let document: ApiDocument;

beforeAll(async () => {
  server = await stubApi();
  document = (await server.inject('/openapi.json')).json();
});
afterAll(() => server?.close());

async function send({ method, url, body }: DocumentedRequest, token?: string): Promise<ApiAnswer> {
  const answer = await server.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
  return {
    status: answer.statusCode,
    headers: new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
    body: answer.body === '' ? undefined : answer.json(),
  };
}

describe('any request that the OpenAPI document describes', () => {
  it('is answered as the document describes', async () => {
    const operations = listOperations(document);
    /** The first example of each kind of departure. */
    const findings = new Map<string, string>();
    for (const operation of operations)
      await fc.assert(
        fc.asyncProperty(
          arbitraryRequests(document, operation, ['pi', 'local', 'default']),
          async (request) => {
            const found = documentDifference(
              document,
              request,
              await send(request, operation.scope === 'audit' ? 'audit-token' : 'owner-token'),
            );
            if (found === null) return;
            const kind = `${operation.operationId} ${found.replaceAll(/:.*/gs, '')}`;
            if (!findings.has(kind)) findings.set(kind, `${request.method} ${request.url}: ${found}`);
          },
        ),
        { numRuns: Math.ceil(REQUESTS / operations.length) },
      );
    expect(Object.fromEntries(findings)).toEqual({});
  }, 300_000);

  it('is refused when the token lacks the right for it', async () => {
    for (const operation of listOperations(document).filter(({ scope }) => scope !== undefined))
      await fc.assert(
        fc.asyncProperty(arbitraryRequests(document, operation, ['pi']), async (request) => {
          if (request.expected === 'wrong method') return;
          const other = operation.scope === 'read' ? 'robot-token' : 'reader-token';
          const statuses = [await send(request), await send(request, 'unknown'), await send(request, other)];
          expect(statuses.map(({ status }) => status)).toEqual([401, 401, 403]);
        }),
        { numRuns: 20 },
      );
  }, 60_000);
});

describe('the OpenAPI document of the API', () => {
  it('names a server, and gives every text parameter and every body an example that fits its schema', () => {
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const hasExample = (schema: Schema, example?: unknown): boolean => {
      const examples = example === undefined ? schemaExamples(document, schema) : [example];
      const isAllowed = ajv.compile({ ...schema, components: document.components });
      return examples === null || (examples.length > 0 && examples.every((each) => isAllowed(each)));
    };
    const without = listOperations(document).flatMap(({ operationId, parameters, body }) => [
      ...parameters
        .filter(({ name, schema, example }) => name !== 'accept' && !hasExample(schema, example))
        .map(({ name }) => `${operationId} ${name}`),
      ...(body === undefined || hasExample(body) ? [] : [`${operationId} body`]),
    ]);
    expect(without).toEqual([]);
  });
});
