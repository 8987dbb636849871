import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { authenticationBy } from '../../services/api/access/authentication.ts';
import { createHttpServer } from '../../services/adapters/http/server.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import type { PageSettings } from '../../services/api/page-settings.ts';
import { addPageRoutes } from '../../services/api/routes/page.ts';

const SETTINGS: PageSettings = { provider: null, logUrl: null };

const folder = mkdtempSync(join(tmpdir(), 'jobledger-page-'));
let server: HttpServer;

async function aServer(): Promise<HttpServer> {
  return createHttpServer({
    log: silentLog(),
    metrics: createMetrics(),
    authentication: authenticationBy({ tokens: () => [], people: [], level: () => Promise.resolve(5) }, 0),
    bodyLimit: 1000,
    timeoutMs: 1000,
    about: { title: 'Test', version: '1', description: 'of the page' },
    problemOf: () => null,
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

describe('the page', () => {
  it('is served without a token and never cached', async () => {
    const { statusCode, headers, body } = await server.inject('/ui/');
    expect([statusCode, body]).toEqual([200, '<!doctype html><title>page</title>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
  });

  it('may load from its own origin only', async () => {
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

  it('has assets that are cached for long, compressed for who takes it', async () => {
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
    '%s is no asset',
    async (url) => {
      expect((await server.inject(url)).statusCode).toBe(404);
    },
  );

  it.each(['/', '/ui'])('is where %s leads', async (url) => {
    const { statusCode, headers } = await server.inject(url);
    expect([statusCode, headers['location']]).toEqual([302, '/ui/']);
  });

  it('is not part of the OpenAPI document', async () => {
    await server.ready();
    expect(Object.keys((server as unknown as { swagger(): { paths: object } }).swagger().paths)).toEqual([]);
  });

  it('that was not built is not served', async () => {
    const bare = await aServer();
    expect(addPageRoutes(bare, join(folder, 'none'), SETTINGS)).toBe(false);
    expect((await bare.inject('/ui/')).statusCode).toBe(404);
    await bare.close();
  });
});
