import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { connectClusters, type ClusterConnection } from '../../services/adapters/kubernetes/connection.ts';
import { readLines } from '../../services/adapters/kubernetes/watch-lines.ts';
import type { FaultyRequests } from './faulty-requests.ts';
import type { FaultyWatches } from './faulty-watches.ts';
import type { OlderVersions } from './older-versions.ts';

/** A plain HTTP proxy on loopback before an API server. Watches of Jobs and pods are faulty, and so are some other requests. */
export interface WatchProxy {
  /** `host:port`. */
  address: string;
  /** A kubeconfig, as JSON, with the given context. The proxy has the credentials; its clients need no credentials. */
  kubeconfig: string;
  stop(): Promise<void>;
}

export interface ProxyFaults {
  requests: FaultyRequests;
  watches: FaultyWatches;
  versions: OlderVersions;
}

/** Without `watches` they pass as they are; without `versions` every list has its own version. */
type SomeFaults = { requests: Pick<FaultyRequests, 'nextFault'> } & Partial<Omit<ProxyFaults, 'requests'>>;

const COLLECTION = /^(\/apis\/batch\/v1\/jobs|\/api\/v1\/pods)$/;
/** These headers are for one connection only (RFC 9110, 7.6.1); `host` is the server's. */
const OF_A_CONNECTION = ['connection', 'host', 'keep-alive', 'transfer-encoding', 'upgrade'];
/** An API server keeps idle connections for longer than its clients do. */
const KEPT_MS = 180_000;

/** `kubeconfig`: the file with the credentials that the proxy uses. */
export async function startWatchProxy(
  kubeconfig: string,
  context: string,
  faults: SomeFaults,
): Promise<WatchProxy> {
  const [connection] = connectClusters({ kubeconfig, contexts: [context] });
  if (connection === undefined) throw new Error(`no context ${context}`);
  const server = createServer({ keepAliveTimeout: KEPT_MS }, (request, response) => {
    forward(connection, faults, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    kubeconfig: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: context, cluster: { server: `http://${address}` } }],
      users: [{ name: 'proxied', user: {} }],
      contexts: [{ name: context, context: { cluster: context, user: 'proxied' } }],
      'current-context': context,
    }),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await (await connection.access()).pool.destroy();
    },
  };
}

async function forward(
  connection: ClusterConnection,
  { watches, requests, versions }: SomeFaults,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const fault = requests.nextFault(request);
  if (fault !== null && fault !== 'unanswered') {
    request.resume();
    response.writeHead(fault.status, fault.headers);
    return void response.end(fault.body);
  }
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { pool, headers } = await connection.access();
  const since = Date.now();
  const answer = await pool.request({
    method,
    path: url,
    headers: { ...withoutThoseOfAConnection(request.headers), ...headers },
    body: method === 'GET' ? null : request,
    signal: gone.signal,
  });
  // Without a listener, a response that breaks off would end the process.
  answer.body.on('error', () => undefined);
  if (fault === 'unanswered') {
    await answer.body.dump();
    return void response.destroy();
  }
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const isCollection = answer.statusCode === 200 && method === 'GET' && COLLECTION.test(pathname);
  if (versions !== undefined && isCollection && searchParams.get('limit') === '1') {
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(versions.of(pathname, await answer.body.text()));
  }
  response.writeHead(answer.statusCode, withoutThoseOfAConnection(answer.headers));
  // The client learns at once that a watch is open.
  response.flushHeaders();
  if (watches !== undefined && isCollection && searchParams.has('watch'))
    return passWatch(watches, readLines(answer.body), response);
  await pipeline(answer.body, response);
  if (isCollection && !searchParams.has('continue')) watches?.listed(pathname, since);
}

async function passWatch(
  faulty: FaultyWatches,
  lines: AsyncIterable<string>,
  response: ServerResponse,
): Promise<void> {
  const stream = faulty.through(lines);
  for (;;) {
    const { done, value } = await stream.next();
    if (done === true) return void (value === 'cut' ? response.destroy() : response.end());
    await new Promise<void>((resolve, reject) => {
      response.write(value, (error) => (error == null ? resolve() : reject(error)));
    });
  }
}

function withoutThoseOfAConnection<T>(headers: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_A_CONNECTION.includes(name)));
}
