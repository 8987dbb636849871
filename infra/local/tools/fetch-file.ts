import { createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EnvHttpProxyAgent, interceptors, request, type Dispatcher } from 'undici';
import {
  InputError,
  JobledgerError,
  errorMessage,
  UnavailableError,
} from '../../../services/adapters/errors.ts';
import { fileDigest } from '../../../services/adapters/file-digest.ts';
import { hasValidEscapes } from '../../../services/adapters/network/address.ts';
import { isFullDiskError } from '../processes/full-disk.ts';
import type { PublishedFile } from './publishers.ts';

/** A web server that serves the publishers' files below their hosts: `<value>/dl.k8s.io/release/…`. */
const MIRROR_VARIABLE = 'JOBLEDGER_TOOLS_MIRROR';

/** The time limit for a publisher to send a checksum, over all attempts. */
const CHECKSUM_WITHIN_MS = 3000;
const CHECKSUM_PAUSE_MS = 300;
/** The longest time without data from the host of a file, in milliseconds. */
const SILENT_MS = 10_000;
/**
 * The number of requests for a file in a row without a new byte; a host that never sent a byte is given up earlier.
 */
const [ATTEMPTS, ATTEMPTS_WITHOUT_BYTES] = [4, 2];
/** The pause before the second attempt, which doubles before each further attempt. */
const PAUSE_MS = 500;
const REDIRECTS = 5;

let agent: Dispatcher | undefined;

/** The dispatcher of all requests, which uses the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, if any. */
function dispatcher(): Dispatcher {
  agent ??= new EnvHttpProxyAgent({ allowH2: false }).compose(
    interceptors.redirect({ maxRedirections: REDIRECTS }),
  );
  return agent;
}

/**
 * The checksum that a project publishes for its file, in lower case. @throws UnavailableError within 3 seconds when the
 * checksum cannot be downloaded, with the host and the reason; InputError when the mirror or a proxy is not a URL.
 */
export async function publishedChecksum(file: PublishedFile, signal: AbortSignal): Promise<string> {
  requireProxyUrls();
  const url = mirroredUrl(file.checksumUrl);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CHECKSUM_WITHIN_MS)]);
  const text = await fetchTextWithRetries(url, limit).catch((cause: unknown) => {
    signal.throwIfAborted();
    const reason = limit.aborted ? `no answer within ${CHECKSUM_WITHIN_MS / 1000} s` : errorMessage(cause);
    throw new UnavailableError(`${hostText(url)}: ${reason}`);
  });
  const checksum = checksumIn(text, file);
  if (checksum !== undefined) return checksum;
  throw new UnavailableError(
    `${hostText(url)}: ${fileName(file.checksumUrl)} has no ${file.algorithm} of ${fileName(file.url)}`,
  );
}

/**
 * Downloads a checksum. Repeats the request after a refused or lost connection, because a single failure may be
 * temporary.
 */
async function fetchTextWithRetries(url: URL, limit: AbortSignal): Promise<string> {
  let last: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1)
    try {
      return await fetchText(url, limit);
    } catch (error) {
      if (limit.aborted || error instanceof RefusedError) throw error;
      last = error;
      await delay(CHECKSUM_PAUSE_MS, undefined, { signal: limit }).catch(() => undefined);
    }
  throw last;
}

const [HTTPS_PROXIES, HTTP_PROXIES] = [
  ['https_proxy', 'HTTPS_PROXY'],
  ['http_proxy', 'HTTP_PROXY'],
];

/**
 * Checks the URLs of proxies. @throws InputError with the name of the variable, never with its value, which may contain
 * a password.
 */
function requireProxyUrls(): void {
  for (const name of [...HTTPS_PROXIES, ...HTTP_PROXIES].filter(isSet))
    if (!/^https?:\/\//.test(process.env[name] ?? '') || !URL.canParse(process.env[name] ?? ''))
      throw new InputError(
        `${name} is not the URL of a proxy; set it to a URL such as http://proxy.example.com:3128`,
      );
}

function isSet(name: string): boolean {
  return (process.env[name] ?? '') !== '';
}

/** The host, with the variables that lead to it: `mirror.example.com (JOBLEDGER_TOOLS_MIRROR, HTTPS_PROXY)`. */
function hostText(url: URL): string {
  const names = proxyVariables(url);
  return names.length === 0 ? url.host : `${url.host} (${names.join(', ')})`;
}

function proxyVariables({ protocol }: URL): string[] {
  const proxy = [...(protocol === 'https:' ? HTTPS_PROXIES : []), ...HTTP_PROXIES].find(isSet);
  return [...[MIRROR_VARIABLE].filter(isSet), ...(proxy === undefined ? [] : [proxy])];
}

/** The advice for a publisher's file that cannot be downloaded. */
export function fetchingAdvice(): string {
  const names = proxyVariables(mirroredUrl('https://publisher.example'));
  return names.length > 0
    ? `check ${names.join(' and ')}`
    : `set ${MIRROR_VARIABLE} to a mirror, or HTTPS_PROXY to a proxy, if this machine needs one`;
}

/** The address without its name and password, and a header with them. */
function splitCredentials(url: URL): { bare: URL; headers: Record<string, string> } {
  const bare = new URL(url);
  [bare.username, bare.password] = ['', ''];
  const given = [url.username, url.password].map(decodeURIComponent).join(':');
  const headers = given === ':' ? {} : { authorization: `Basic ${Buffer.from(given).toString('base64')}` };
  return { bare, headers };
}

async function fetchText(url: URL, signal: AbortSignal): Promise<string> {
  const { bare, headers } = splitCredentials(url);
  const answer = await request(bare, { dispatcher: dispatcher(), signal, headers });
  if (answer.statusCode === 200) return answer.body.text();
  await answer.body.dump();
  const text = `HTTP status ${answer.statusCode} for ${fileName(url.href)}`;
  throw answer.statusCode < 500 ? new RefusedError(text) : new UnavailableError(text);
}

const LENGTHS = { sha256: 64, sha512: 128 } as const;

/** The checksum of a file in a text: in a line with its name, or the only checksum, in any grouping of its digits. */
export function checksumIn(
  text: string,
  { url, algorithm }: Pick<PublishedFile, 'url' | 'algorithm'>,
): string | undefined {
  const name = fileName(url);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const named = lines.find(
    (line) =>
      line
        .trim()
        .split(/[\s*]+/)
        .at(-1) === name,
  );
  const own = named?.trim().split(/\s+/)[0] ?? text.replace(`${name}:`, '').replaceAll(/\s/g, '');
  const isWhole = own.length === LENGTHS[algorithm] && /^[\da-f]+$/i.test(own);
  return isWhole ? own.toLowerCase() : undefined;
}

function fileName(url: string): string {
  return new URL(url).pathname.split('/').at(-1) ?? '';
}

/**
 * The address from which a publisher's file is downloaded. Only the host of a mirror is ever printed: the address of a
 * mirror may contain a password or a token. @throws InputError when the variable is not a URL, or has a name or a
 * password that cannot be decoded.
 */
export function mirroredUrl(url: string): URL {
  const mirror = process.env[MIRROR_VARIABLE] ?? '';
  if (mirror === '') return new URL(url);
  if (!URL.canParse(mirror) || new URL(mirror).search !== '')
    throw new InputError(
      `${MIRROR_VARIABLE} is not a URL, or has a query; set it to a URL such as https://NAME:PASSWORD@mirror.example.com/files`,
    );
  const { username, password } = new URL(mirror);
  if (!hasValidEscapes(username, password))
    throw new InputError(
      `the name or the password in ${MIRROR_VARIABLE} has a % that begins no character: write a percent sign as %25`,
    );
  const { host, pathname, search } = new URL(url);
  return new URL(`${mirror.replace(/\/+$/, '')}/${host}${pathname}${search}`);
}

/**
 * Downloads a file to `to`, after the part that exists already, and checks it. A file with another checksum is
 * deleted, and fetched once more when it came in parts. `onBytes` gets the downloaded size and the whole size.
 * @throws UnavailableError when no more bytes arrive, JobledgerError when the file has another checksum.
 */
export async function fetchFile(
  file: PublishedFile,
  at: {
    to: string;
    checksum: string;
    onBytes: (there: number, whole: number) => void;
    signal: AbortSignal;
  },
  isAnew = false,
): Promise<void> {
  const { cameInParts } = await fetchRest(mirroredUrl(file.url), at);
  const found = await fileDigest(at.to, file.algorithm);
  if (found === at.checksum) return;
  rmSync(at.to, { force: true });
  if (cameInParts && !isAnew) return fetchFile(file, at, true);
  throw new JobledgerError(
    `${fileName(file.url)} of ${hostText(mirroredUrl(file.url))} has the ${file.algorithm} ${found}; its publisher says ${at.checksum}. It was deleted`,
  );
}

/** Downloads the missing bytes of a file, and repeats a failed request. */
async function fetchRest(url: URL, at: Parameters<typeof fetchFile>[1]): Promise<{ cameInParts: boolean }> {
  let cameInParts = false;
  for (let failures = 0; ;) {
    const before = fileSize(at.to);
    cameInParts ||= before > 0;
    try {
      await fetchOnce(url, at);
      return { cameInParts };
    } catch (error) {
      at.signal.throwIfAborted();
      if (error instanceof RefusedError) throw error;
      if (isFullDiskError(error))
        throw new InputError(
          `${fileName(url.href)} does not fit on the disk of ${dirname(at.to)}: free some space, and start again`,
        );
      failures = fileSize(at.to) > before ? 1 : failures + 1;
      const most = fileSize(at.to) > 0 ? ATTEMPTS : ATTEMPTS_WITHOUT_BYTES;
      if (failures >= most) throw new UnavailableError(`${hostText(url)}: ${errorMessage(error)}`);
      await delay(PAUSE_MS * 2 ** (failures - 1), undefined, { signal: at.signal });
    }
  }
}

/** The error when the publisher answers, but does not have the file. */
class RefusedError extends UnavailableError {}

/** Sends one request for the missing bytes of a file. */
async function fetchOnce(
  url: URL,
  { to, onBytes, signal }: Pick<Parameters<typeof fetchFile>[1], 'to' | 'onBytes' | 'signal'>,
): Promise<void> {
  const from = fileSize(to);
  const { bare, headers: own } = splitCredentials(url);
  const answer = await request(bare, {
    dispatcher: dispatcher(),
    signal,
    headersTimeout: SILENT_MS,
    bodyTimeout: SILENT_MS,
    headers: { ...own, ...(from > 0 && { range: `bytes=${from}-` }) },
  });
  const { statusCode, headers, body } = answer;
  // The part is as long as the whole file, or longer; its checksum shows whether it is the whole file.
  if (statusCode === 416) {
    await body.dump();
    return;
  }
  if (statusCode !== 200 && statusCode !== 206) {
    await body.dump();
    const text = `HTTP status ${statusCode} for ${fileName(url.href)}`;
    throw statusCode < 500 && statusCode !== 429
      ? new RefusedError(`${hostText(url)}: ${text}`)
      : new UnavailableError(text);
  }
  const start = statusCode === 206 ? from : 0;
  const whole = start + Number(headers['content-length'] ?? Number.NaN);
  let there = start;
  const countBytes = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      onBytes((there += chunk.length), whole);
      yield chunk;
    }
  };
  await pipeline(body, countBytes, createWriteStream(to, { flags: start > 0 ? 'a' : 'w' }));
}

function fileSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}
