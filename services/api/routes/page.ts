import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { PageSettings } from '../page-settings.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { ProblemError } from '../../adapters/http/problem.ts';

/**
 * The policy with which the page loads only from its own origin, no text becomes markup or code, and requests go only
 * to its own origin and to the identity provider.
 */
const contentSecurityPolicy = (provider: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    ["connect-src 'self'", ...provider].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join(';');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The name of an asset contains a digest of its content. */
const FOR_LONG = 'public, max-age=31536000, immutable';

interface Asset {
  type: string;
  plain: Buffer;
  zipped: Buffer;
}

/**
 * Serves the page that was built into a folder: the index at /ui/, its assets below. The page needs no token, because
 * it contains no rows; it asks for a token to read them. The template of links to logs requires a token. Returns
 * whether the folder exists.
 */
export function addPageRoutes(server: HttpServer, folder: string, settings: PageSettings): boolean {
  if (!existsSync(join(folder, 'index.html'))) return false;
  const index = readAsset(join(folder, 'index.html'));
  const names = readdirSync(join(folder, 'assets'));
  const assets = new Map(names.map((name) => [name, readAsset(join(folder, 'assets', name))]));
  const open = { config: { scope: 'none' as const }, schema: { hide: true } };
  server.get('/ui/sign-in', open, async (_request, reply) =>
    reply.type('application/json').send((await settings.provider?.()) ?? null),
  );
  server.get('/ui/logs', { config: { scope: 'read' as const }, schema: { hide: true } }, (_request, reply) =>
    reply.send({ url: settings.logUrl }),
  );
  for (const url of ['/', '/ui']) server.get(url, open, (_request, reply) => reply.redirect('/ui/'));
  server.get('/ui/', open, async ({ headers }, reply) => {
    const answer = encodedBody(index, headers['accept-encoding']);
    const policy = contentSecurityPolicy(await providerOrigins(settings));
    reply.headers({ 'cache-control': 'no-store', 'content-security-policy': policy, ...answer.headers });
    return reply.send(answer.body);
  });
  const params = z.object({ file: z.string() });
  server.get(
    '/ui/assets/:file',
    { ...open, schema: { hide: true, params } },
    ({ headers, params: { file } }, reply) => {
      const asset = assets.get(file);
      if (asset === undefined)
        throw new ProblemError('not-found', 'the page does not have this file; reload the page');
      const answer = encodedBody(asset, headers['accept-encoding']);
      return reply.headers({ 'cache-control': FOR_LONG, ...answer.headers }).send(answer.body);
    },
  );
  return true;
}

/**
 * The address where the page exchanges a code for a token. While the provider does not answer, users cannot sign in,
 * but signed-in users can read.
 */
async function providerOrigins({ provider }: PageSettings): Promise<string[]> {
  if (provider === null) return [];
  try {
    return [new URL((await provider()).token_endpoint).origin];
  } catch {
    return [];
  }
}

function readAsset(file: string): Asset {
  const plain = readFileSync(file);
  return { type: TYPES[extname(file)] ?? 'application/octet-stream', plain, zipped: gzipSync(plain) };
}

/** The body, compressed for a browser that accepts compression, and its headers. */
function encodedBody(
  { type, plain, zipped }: Asset,
  accepted: unknown,
): { headers: Record<string, string>; body: Buffer } {
  const headers = { 'content-type': type, vary: 'accept-encoding' };
  if (!/\bgzip\b/.test(String(accepted))) return { headers, body: plain };
  return { headers: { ...headers, 'content-encoding': 'gzip' }, body: zipped };
}
