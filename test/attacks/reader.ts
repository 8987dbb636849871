import { connect, type Socket } from 'node:net';
import * as fc from 'fast-check';
import { request } from 'undici';
import type { ApiDocument } from '../support/api-client.ts';
import { attackingTexts } from '../support/attacking-texts.ts';
import { schemaExamples, listOperations, arbitraryRequests } from '../support/documented-requests.ts';
import { seededRandom } from '../support/random.ts';
import { choose } from './hostile-objects.ts';
import { paced } from './paced.ts';

/** What a reader did. */
export interface ReaderFigures {
  requests: number;
  /** Answers by the first digit of their status, and requests without an answer. */
  answers: Record<'2xx' | '3xx' | '4xx' | '5xx' | 'none', number>;
  /** Connections that were left open. */
  streams: number;
  /** The slowest answer, in milliseconds. */
  slowestMs: number;
  /** Requests that the API failed to answer, and answers with the secret of another namespace. */
  failures: string[];
}

interface ReaderOptions {
  url: string;
  token: string;
  document: ApiDocument;
  seed: number;
  /** Requests a second. */
  rate: number;
  /** Names to try in paths. */
  names: () => readonly string[];
  /** What no answer may contain. */
  secret: string;
  signal: AbortSignal;
}

/** A request for one answer. */
interface Request {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The most connections that are left open. */
const MOST_OPEN = 40;
const SILENT_MS = 30_000;
const MADE_PER_OPERATION = 25;
/** For the names of path parameters, which are filled in when the request is sent. */
const NAME = 'name-to-try';

/** A reader with a token of one namespace, at the HTTP API, until the signal. */
export async function attackAsReader(options: ReaderOptions): Promise<ReaderFigures> {
  const { url, token, seed, rate, names, secret, signal } = options;
  const figures: ReaderFigures = {
    requests: 0,
    answers: { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, none: 0 },
    streams: 0,
    slowestMs: 0,
    failures: [],
  };
  const random = seededRandom(seed);
  const turn = paced(rate);
  const open: Socket[] = [];
  const pending = new Set<Promise<void>>();
  const authorized = { authorization: `Bearer ${token}` };
  let cursor: string | undefined;

  const ask = async ({ method, path, body, headers = authorized }: Request): Promise<void> => {
    const before = performance.now();
    const name = `${method} ${path.slice(0, 300)}`;
    try {
      const answer = await request(`${url}${path}`, {
        method: method as 'GET',
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(SILENT_MS),
      });
      const text = await answer.body.text();
      const { statusCode } = answer;
      figures.answers[`${Math.floor(statusCode / 100)}xx` as '2xx'] += 1;
      figures.slowestMs = Math.max(figures.slowestMs, Math.round(performance.now() - before));
      // 503 and 504 say that the API is busy, as a limit does.
      if (statusCode >= 500 && ![503, 504].includes(statusCode))
        figures.failures.push(`${statusCode} for ${name}: ${text.slice(0, 300)}`);
      if (text.includes(secret)) figures.failures.push(`shows what it must not: ${name}`);
      cursor = /"next":"([^"]+)"/.exec(text)?.[1] ?? cursor;
    } catch (error) {
      figures.answers.none += 1;
      if ((error as Error).name === 'TimeoutError') figures.failures.push(`no answer: ${name}`);
    }
  };
  /** Sends the beginning of a request, and never reads the answer. */
  const leaveOpen = (text: string): void => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(text);
    open.push(socket);
    figures.streams += 1;
    if (open.length > MOST_OPEN) open.shift()?.destroy();
  };

  const made = madeRequests(options, random);
  const stream = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nauthorization: Bearer ${token}\r\n`;
  const STEPS: (() => Promise<void> | void)[] = [
    ...Array.from({ length: 8 }, () => () => {
      const next = choose(made, random);
      return ask({
        ...next,
        path: next.path.replaceAll(NAME, () => encodeURIComponent(choose(names(), random))),
      });
    }),
    () => leaveOpen(`${stream(`/v1/events?from=${choose(['start', 'now', '0:0'], random)}`)}\r\n`),
    // The headers do not end.
    () => leaveOpen(stream('/v1/jobs')),
    () =>
      leaveOpen(
        `POST /v1/jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n{`,
      ),
    // Many requests on one connection, whose answers nobody reads.
    () =>
      leaveOpen(
        `GET /v1/jobs?limit=500 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`.repeat(20),
      ),
    () => ask({ method: 'GET', path: '/readyz', headers: {} }),
    () => ask({ method: 'GET', path: '/ui/', headers: {} }),
    () => ask({ method: 'GET', path: '/v1/whoami', headers: { authorization: `Bearer ${random()}` } }),
    () =>
      ask({
        method: 'GET',
        path: '/v1/whoami',
        headers: { authorization: `Bearer ${'eyJhbGciOiJub25lIn0.e30.'.repeat(200)}` },
      }),
    () => {
      const from = tampered(cursor ?? '0:0', random);
      return ask({ method: 'GET', path: `/v1/jobs?limit=500&cursor=${encodeURIComponent(from)}` });
    },
    () => ask({ method: 'POST', path: '/v1/jobs', body: '['.repeat(50_000) }),
  ];
  while (!signal.aborted) {
    await turn();
    figures.requests += 1;
    // A request that takes long must not keep the others back.
    const step = Promise.resolve(choose(STEPS, random)());
    pending.add(step);
    void step.finally(() => pending.delete(step));
  }
  await Promise.all(pending);
  for (const socket of open) socket.destroy();
  return figures;
}

/** Requests that the document allows and forbids, and requests with an attacking text in one field. */
function madeRequests({ document, seed }: ReaderOptions, random: () => number): Request[] {
  const operations = listOperations(document);
  const drawn = operations.flatMap((operation) =>
    fc.sample(arbitraryRequests(document, operation, [NAME]), { numRuns: MADE_PER_OPERATION, seed }),
  );
  const attacking = operations.flatMap(({ method, path, parameters }) =>
    parameters
      .filter((each) => each.in !== 'header')
      .flatMap((parameter) => {
        const [example = 'a'] = [
          parameter.example ?? schemaExamples(document, parameter.schema) ?? [],
        ].flat();
        const texts = attackingTexts(
          typeof example === 'string' ? example : JSON.stringify(example),
          [60, 3000],
        );
        return Array.from({ length: 3 }, () => {
          const text = encodeURIComponent(choose(texts, random));
          const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name) =>
            name === parameter.name ? text : NAME,
          );
          const query = parameter.in === 'query' ? `?${parameter.name}=${text}` : '';
          return { method: method.toUpperCase(), path: `${filled}${query}` };
        });
      }),
  );
  return [
    ...drawn.map(({ method, url, body }) => ({ method, path: url, ...(body !== undefined && { body }) })),
    ...attacking.filter(({ path }) => path.length < 14_000),
  ];
}

/** A cursor with one character changed, cut off, or repeated. */
function tampered(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  return choose(
    [
      text,
      text.slice(0, at),
      text + text,
      text.slice(0, at) + String.fromCharCode(33 + Math.floor(random() * 90)) + text.slice(at + 1),
      Buffer.from('{"__proto__":{"places":null}}').toString('base64url'),
    ],
    random,
  );
}
