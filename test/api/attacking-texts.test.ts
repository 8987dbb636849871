import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Agent, request } from 'undici';
import type { ApiDocument } from '../support/api-client.ts';
import { attackingTexts, commonAttackingTexts } from '../support/attacking-texts.ts';
import {
  schemaExamples,
  listOperations,
  type DescribedOperation,
  type Schema,
} from '../support/documented-requests.ts';
import { extent } from '../support/extent.ts';

/** It ends a test that hangs. */
jest.setTimeout(300_000);

/** The most CPU time that the thread of the API spends on a request, in milliseconds. */
const MOST_MS = 50;
/** A request that a thread without other work has not answered by then holds up the API. */
const HANGS_MS = 10_000;
/** The tokens of stub-api.ts with the rights for each scope. */
const TOKENS: Readonly<Record<string, string>> = {
  read: 'reader-token',
  submit: 'owner-token',
  audit: 'audit-token',
};
const agent = new Agent({ connections: 1 });

let api: ChildProcess;
let url: string;
let document: ApiDocument;

async function start(): Promise<void> {
  api = fork(join(process.cwd(), 'test/support/api-process.ts'));
  [{ url }] = (await once(api, 'message')) as [{ url: string }];
}

beforeAll(async () => {
  await start();
  document = (await (
    await fetch(`${url}/openapi.json`, { headers: headersFor('read') })
  ).json()) as ApiDocument;
});
afterAll(async () => {
  api?.kill('SIGKILL');
  await agent.destroy();
});

function headersFor(scope = 'read'): Record<string, string> {
  return { authorization: `Bearer ${TOKENS[scope] ?? 'owner-token'}` };
}

/** The CPU time of the thread that serves requests, in milliseconds. Unlike the time of day it is the same on a busy machine. */
function servingMs(): number {
  const { pid } = api;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** A request with an attacking text in one field. */
interface Attack {
  field: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The time that a request costs the thread of the API; null when it hangs, and another API has begun. */
async function costMs({ method, path, headers, body }: Attack): Promise<number | null> {
  const before = servingMs();
  try {
    const answer = await request(`${url}${path}`, {
      method: method as 'GET',
      headers,
      dispatcher: agent,
      signal: AbortSignal.timeout(HANGS_MS),
      ...(body !== undefined && { body }),
    });
    // The body of a stream has no end.
    if (String(answer.headers['content-type']).startsWith('text/event-stream')) answer.body.destroy();
    else await answer.body.dump();
    return servingMs() - before;
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error;
    api.kill('SIGKILL');
    await start();
    return null;
  }
}

/** Fields whose text holds up the API, with the first such text. A slow request is repeated: compiling and collecting are not. */
async function slowFields(attacks: readonly Attack[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const attack of attacks) {
    if (found[attack.field] !== undefined) continue;
    let ms: number | null = Infinity;
    for (let round = 0; ms !== null && ms > MOST_MS && round < 4; round += 1) {
      const cost = await costMs(attack);
      ms = cost === null ? null : Math.min(ms, cost);
    }
    const text = `${attack.method} ${(attack.path + (attack.body ?? '')).slice(0, 200)}`;
    if (ms === null) found[attack.field] = `no answer after ${HANGS_MS} ms: ${text}`;
    else if (ms > MOST_MS) found[attack.field] = `${ms.toFixed(0)} ms: ${text}`;
  }
  return found;
}

const textsIn = (schema: Schema, example?: unknown): string[] =>
  (example === undefined ? (schemaExamples(document, schema) ?? []) : [example]).flat().map(String);

/**
 * The attacks on every text of an operation's address. A kind of field that another operation has also gets the common texts only, and in
 * `npm test` only the first of them.
 */
function attacksOnAddress(operation: DescribedOperation, known: Set<string>): Attack[] {
  const { operationId, method, path, parameters, scope } = operation;
  const filled = new Map(
    parameters
      .filter((each) => each.in === 'path' || each.required === true)
      .map((each) => [each.name, textsIn(each.schema, each.example)[0] ?? '1'] as const),
  );
  return parameters
    .filter((each) => each.in !== 'header')
    .flatMap(({ name, schema, example }) => {
      const kind = JSON.stringify(schema);
      const common = [...commonAttackingTexts(4000), ...commonAttackingTexts(1500)];
      const texts = known.has(kind)
        ? common.slice(0, extent(2, common.length))
        : [...common, ...textsIn(schema, example).flatMap((each) => attackingTexts(each))];
      known.add(kind);
      return texts.map((text): Attack => {
        const query = new URLSearchParams();
        let address = path;
        for (const each of new Set([...filled.keys(), name])) {
          const value = each === name ? text : (filled.get(each) ?? '');
          if (path.includes(`{${each}}`))
            address = address.replace(`{${each}}`, () => encodeURIComponent(value));
          else query.append(each, value);
        }
        const headers = {
          ...headersFor(scope),
          ...(method !== 'get' && { 'content-type': 'application/json' }),
        };
        return {
          field: `${operationId} ${name}`,
          method: method.toUpperCase(),
          path: `${address}?${query.toString()}`,
          headers,
          ...(method !== 'get' && { body: '{}' }),
        };
      });
    })
    .filter((attack) => attack.path.length < 14_000);
}

/** The attacks on every text of an operation's body. */
function attacksOnBody({ operationId, method, path, parameters, scope, body }: DescribedOperation): Attack[] {
  if (body === undefined) return [];
  const address = parameters
    .filter((each) => each.in === 'path')
    .reduce(
      (filled, each) => filled.replace(`{${each.name}}`, textsIn(each.schema, each.example)[0] ?? '1'),
      path,
    );
  return (schemaExamples(document, body) ?? []).flatMap((example) =>
    listTexts(example).flatMap(([at, text]) =>
      [...attackingTexts(text, [60]), ...commonAttackingTexts(50_000)].map((attacking) => ({
        field: `${operationId} ${at.join('.')}`,
        method: method.toUpperCase(),
        path: address,
        headers: { ...headersFor(scope), 'content-type': 'application/json' },
        body: JSON.stringify(replaced(example, at, attacking)),
      })),
    ),
  );
}

/** The texts in a value, with their places. */
function listTexts(value: unknown, at: readonly string[] = []): [string[], string][] {
  if (typeof value === 'string') return [[[...at], value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => listTexts(each, [...at, key]));
}

function replaced(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value))
    return value.map((each, at) => (String(at) === key ? replaced(each, rest, text) : each));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: replaced(fields[key], rest, text) };
}

/** Headers that the API reads, with values that it takes. */
const HEADERS = {
  authorization: 'Bearer abc.def-1==',
  accept: 'text/event-stream, application/json;q=0.5',
  'accept-encoding': 'gzip;q=1.0, br',
  'last-event-id': '0:5,1:7',
  'x-request-id': 'a.b:c@d/e-1',
  origin: 'http://[::1]:8080',
  'if-none-match': 'W/"abc", "def"',
};

function attacksOnHeaders(): Attack[] {
  return Object.entries(HEADERS).flatMap(([name, example]) =>
    attackingTexts(example, [60, 12_000])
      .filter((text) => !text.includes('\n'))
      .flatMap((text) =>
        ['/v1/events', '/v1/jobs', '/'].map((path) => ({
          field: name,
          method: 'GET',
          path,
          headers: { ...headersFor(), [name]: text },
        })),
      ),
  );
}

describe('a request to the API with a text that attacks a parser', () => {
  it('takes less than 50 ms of the event loop with the text in its path or query', async () => {
    const known = new Set<string>();
    const attacks = listOperations(document).flatMap((operation) => attacksOnAddress(operation, known));
    expect(attacks.length).toBeGreaterThan(1000);
    expect(await slowFields(attacks)).toEqual({});
  });

  it('takes less than 50 ms of the event loop with the text in its body', async () => {
    const attacks = listOperations(document).flatMap(attacksOnBody);
    expect(attacks.length).toBeGreaterThan(100);
    expect(await slowFields(attacks)).toEqual({});
  });

  it('takes less than 50 ms of the event loop with the text in its headers', async () => {
    expect(await slowFields(attacksOnHeaders())).toEqual({});
  });
});
