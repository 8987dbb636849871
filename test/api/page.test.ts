import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { UnavailableError } from '../../services/adapters/errors.ts';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { createAuthentication } from '../../services/api/access/authentication.ts';
import { createHttpServer } from '../../services/adapters/http/server.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { tokenLine, type AccessEntry } from '../../services/api/access/tokens.ts';
import { toJobProblem } from '../../services/api/job-problem.ts';
import { problemOfLogUrl, type PageSettings } from '../../services/api/page-settings.ts';
import { addPageRoutes } from '../../services/api/routes/page.ts';
import { accessEntriesIn } from '../support/access-entries.ts';

const SETTINGS: PageSettings = { provider: null, logUrl: null };

const folder = mkdtempSync(join(tmpdir(), 'jobledger-page-'));
let server: HttpServer;

async function aServer(entries: readonly AccessEntry[] = []): Promise<HttpServer> {
  return createHttpServer({
    log: silentLog(),
    metrics: createMetrics(),
    authentication: createAuthentication({ tokens: () => entries, people: [] }, 0),
    bodyLimit: 1000,
    timeoutMs: 1000,
    about: { title: 'Test', version: '1', description: 'of the page' },
    toProblem: toJobProblem,
  });
}

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(folder, 'assets', 'index-1a2b.js'), 'void 0;');
  server = await aServer();
  addPageRoutes(server, folder, SETTINGS);
  await server.ready();
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

describe('the request of the page for the sign-in settings', () => {
  it('is answered without a provider when none is configured', async () => {
    const { statusCode, headers, body } = await server.inject('/ui/sign-in');
    expect([statusCode, headers['content-type'], body]).toEqual([
      200,
      'application/json; charset=utf-8',
      'null',
    ]);
  });

  it('is answered with the address of the provider, to which the page may connect', async () => {
    const provider = {
      issuer: 'https://id.example',
      client_id: 'page',
      scope: 'openid',
      authorization_endpoint: 'https://id.example/authorize',
      token_endpoint: 'https://tokens.example/token',
    };
    const other = await aServer();
    addPageRoutes(other, folder, { provider: () => Promise.resolve(provider), logUrl: null });
    expect((await other.inject('/ui/sign-in')).json()).toEqual(provider);
    const { headers } = await other.inject('/ui/');
    expect(String(headers['content-security-policy'])).toContain(
      "connect-src 'self' https://tokens.example;",
    );
    await other.close();
  });

  it('is answered with an error while the provider does not answer, but the page is served', async () => {
    const other = await aServer();
    const away = (): Promise<never> => Promise.reject(new UnavailableError('the provider is away'));
    addPageRoutes(other, folder, { provider: away, logUrl: null });
    expect((await other.inject('/ui/sign-in')).statusCode).toBe(503);
    expect((await other.inject('/ui/')).statusCode).toBe(200);
    await other.close();
  });
});

describe('the address template for the logs of pods', () => {
  it('is shown only to callers with the scope read', async () => {
    const url = 'https://logs.example/?pod={pod}';
    const token = 'token-of-reader';
    const other = await aServer(
      accessEntriesIn(tokenLine({ name: 'reader', scopes: ['read'] }, token), 'tokens'),
    );
    addPageRoutes(other, folder, { provider: null, logUrl: url });
    expect((await other.inject('/ui/logs')).statusCode).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await other.inject({ url: '/ui/logs', headers })).json()).toEqual({ url });
    await other.close();
  });

  it.each([
    ['https://logs.example/{cluster}/{namespace}?q={pod}&from={from_ms}', null],
    ['http://logs.example/', null],
    ['ftp://logs.example/{pod}', 'give an http:// or https:// URL'],
    ['javascript:alert(1)', 'give an http:// or https:// URL'],
    ['https://{pod}.example/', 'only the path and the query of the URL may contain values, not the host'],
    [
      'https://logs.example/{nod}',
      expect.stringContaining('{nod} is not a known value; known values: {cluster}'),
    ],
  ])('is validated at the start for the value %s: %s', (template, problem) => {
    expect(problemOfLogUrl(template)).toEqual(problem);
  });
});

describe('the responses of the API to the page', () => {
  const rows = { items: Array.from({ length: 200 }, (_, at) => ({ name: `job-${at}` })) };

  async function answered(route: string, encoding: string): Promise<LightMyRequestResponse> {
    const other = await aServer();
    const open = { config: { scope: 'none' as const } };
    other.get('/rows', open, () => Promise.resolve(rows));
    other.get('/few', open, () => Promise.resolve({ items: [] }));
    other.get('/stream', open, (_request, reply) =>
      reply
        .type('text/event-stream')
        .send(Readable.from(['data: 1\n\n', `data: ${'x'.repeat(5000)}\n\n`]) as never),
    );
    const answer = await other.inject({ url: route, headers: { 'accept-encoding': encoding } });
    await other.close();
    return answer;
  }

  it('are compressed for a client that accepts compression', async () => {
    const { headers, rawPayload } = await answered('/rows', 'gzip, deflate, br');
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: expect.stringContaining('accept-encoding'),
    });
    expect(JSON.parse(gunzipSync(rawPayload).toString())).toEqual(rows);
    expect(rawPayload.length).toBeLessThan(JSON.stringify(rows).length / 4);
  });

  it.each([
    ['/rows', 'identity'],
    ['/few', 'gzip'],
    ['/stream', 'gzip'],
  ])('are not compressed for the route %s with the accepted encoding %s', async (route, encoding) => {
    expect((await answered(route, encoding)).headers['content-encoding']).toBeUndefined();
  });
});

describe('the page of the API', () => {
  it('is served without a token and never cached', async () => {
    const { statusCode, headers, body } = await server.inject('/ui/');
    expect([statusCode, body]).toEqual([200, '<!doctype html><title>page</title>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
  });

  it('may load resources from its own origin only', async () => {
    const { headers } = await server.inject('/ui/');
    const policy = String(headers['content-security-policy']).split(';');
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  });

  it('has assets that are cached for a year, and compressed for a client that accepts compression', async () => {
    const plain = await server.inject('/ui/assets/index-1a2b.js');
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    });
    expect([plain.body, plain.headers['content-encoding']]).toEqual(['void 0;', undefined]);
    const zipped = await server.inject({
      url: '/ui/assets/index-1a2b.js',
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.rawPayload).toString()).toBe('void 0;');
  });

  it.each(['/ui/assets/index-old.js', '/ui/assets/..%2findex.html', '/ui/assets/..%2f..%2fetc%2fpasswd'])(
    'has no asset at the path %s',
    async (url) => {
      expect((await server.inject(url)).statusCode).toBe(404);
    },
  );

  it.each(['/', '/ui'])('is served for a request to %s', async (url) => {
    const { statusCode, headers } = await server.inject(url);
    expect([statusCode, headers['location']]).toEqual([302, '/ui/']);
  });

  it('is not part of the OpenAPI document', async () => {
    await server.ready();
    expect(Object.keys((server as unknown as { swagger(): { paths: object } }).swagger().paths)).toEqual([]);
  });

  it('is not served when it was not built', async () => {
    const bare = await aServer();
    expect(addPageRoutes(bare, join(folder, 'none'), SETTINGS)).toBe(false);
    expect((await bare.inject('/ui/')).statusCode).toBe(404);
    await bare.close();
  });
});
