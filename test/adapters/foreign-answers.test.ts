import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { isAbsent, KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import { createKubernetesClient, type KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { list, watch } from '../../services/adapters/kubernetes/watch.ts';

const JOB = '/apis/batch/v1/namespaces/default/jobs/pi';
const JOBS = '/apis/batch/v1/jobs';
const PAGE = '<html><body><h1>502 Bad Gateway</h1></body></html>';

interface Answer {
  status: number;
  type: string;
  body: string;
  headers?: Record<string, string>;
}

let server: http.Server;
let answer: Answer;

beforeAll(async () => {
  server = http.createServer((_request, response) => {
    response.writeHead(answer.status, { 'content-type': answer.type, ...answer.headers });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function createClient(): KubernetesClient {
  const { port } = server.address() as AddressInfo;
  const pool = new Pool(`http://127.0.0.1:${port}`);
  return createKubernetesClient({
    cluster: 'east',
    context: 'east',
    server: new URL(`http://127.0.0.1:${port}`),
    access: () => Promise.resolve({ pool, headers: {} }),
  });
}

function catchError(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

const foreign = (status: number, type: string, body: string): Answer => ({ status, type, body });
const status = (code: number, more: object): Answer => ({
  status: code,
  type: 'application/json',
  body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', code, ...more }),
});

describe('a response that is not from the API server', () => {
  it.each([
    ['a 404 page of a load balancer', foreign(404, 'text/plain', 'default backend - 404')],
    ['a 404 of JSON that is no Status', foreign(404, 'application/json', '{"reason":"NotFound"}')],
    ['a 404 of a server that knows no such path', foreign(404, 'text/plain', '404 page not found')],
    ['a 409 page', foreign(409, 'text/html', PAGE)],
    ['a 422 page', foreign(422, 'text/html', PAGE)],
    ['a 403 page', foreign(403, 'text/html', PAGE)],
    ['a 502 page', foreign(502, 'text/html', PAGE)],
    ['a 503 page', foreign(503, 'text/html', PAGE)],
    ['a redirect to a page to sign in', foreign(302, 'text/html', '')],
    ['a page to sign in with status 200', foreign(200, 'text/html', PAGE)],
    ['nothing with status 200', foreign(200, 'application/json', '')],
    [
      'JSON with status 200 that is no object of the API',
      foreign(200, 'application/json', '{"status":"ok"}'),
    ],
  ])('counts as an outage, and never as the absence of an object: %s', async (_what, given) => {
    answer = given;
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const error = await catchError(createClient().request({ method, path: JOB }));
      expect(error).toBeInstanceOf(UnavailableError);
      expect(isAbsent(error)).toBe(false);
    }
  });

  it('is reported with the cluster, the request, the status code and advice about the proxy, but without the text of the response', async () => {
    answer = foreign(404, 'text/plain', 'default backend - 404');
    const error = (await catchError(
      createClient().request({ method: 'GET', path: `${JOB}?x=secret` }),
    )) as Error;
    expect(error.message).toMatch(
      /^cluster "east": GET \/apis\/batch\/v1\/namespaces\/default\/jobs\/pi was answered 404 \(text\/plain\), but not by the API server; check the proxy or load balancer at 127\.0\.0\.1:\d+$/,
    );
  });

  it('is never taken for an empty list', async () => {
    answer = foreign(200, 'application/json', '{"kind":"Healthy"}');
    expect(await catchError(list(createClient(), JOBS))).toBeInstanceOf(UnavailableError);
  });

  it('is never taken for a watch event', async () => {
    answer = foreign(200, 'text/html', `${PAGE}\n`);
    const from = { resourceVersion: '1', timeoutSeconds: 5, idleMs: 5000, signal: AbortSignal.timeout(5000) };
    const watched = async (): Promise<void> => {
      for await (const event of watch(createClient(), JOBS, from)) expect(event).toBeUndefined();
    };
    expect(await catchError(watched())).toBeInstanceOf(UnavailableError);
  });

  it('causes a wait when its status is 429, because the flow control of the API server responds in plain text', async () => {
    const body = 'Too many requests, please try again later.';
    answer = { ...foreign(429, 'text/plain', body), headers: { 'retry-after': '3' } };
    const error = await catchError(createClient().request({ method: 'POST', path: JOBS, body: {} }));
    expect(error).toMatchObject({ status: 429, meaning: 'throttled', retryAfter: 3, retryable: true });
  });
});

describe('a Status object from the API server', () => {
  it('counts as the absence of an object when it names the object', async () => {
    answer = status(404, { reason: 'NotFound', details: { group: 'batch', kind: 'jobs', name: 'pi' } });
    expect(isAbsent(await catchError(createClient().request({ method: 'GET', path: JOB })))).toBe(true);
  });

  it.each([
    ['the namespace', { kind: 'namespaces', name: 'default' }, 'refused'],
    ['nothing', {}, 'outage'],
  ])('does not count as the absence of an object when it names %s', async (_what, details, meaning) => {
    answer = status(404, { reason: 'NotFound', details });
    const error = await catchError(createClient().request({ method: 'GET', path: JOB }));
    expect(error).toBeInstanceOf(KubernetesApiError);
    expect(error).toMatchObject({ status: 404, details, meaning });
  });
});
