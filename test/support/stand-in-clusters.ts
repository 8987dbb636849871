import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** API servers of clusters without Jobs and pods: lists are empty, watches stay open with bookmarks, Leases are kept. */
export interface StandInClusters {
  /** A kubeconfig, as JSON, with a context for each name. */
  kubeconfig(names: readonly string[]): string;
  stop(): Promise<void>;
}

interface Lease {
  metadata: { resourceVersion?: string };
}

export async function startStandInClusters(bookmarkMs: number): Promise<StandInClusters> {
  const leases = new Map<string, Lease>();
  let version = 1;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const [, cluster = '', ...rest] = url.pathname.split('/');
    const path = rest.join('/');
    if (url.searchParams.get('watch') === '1')
      return watch(response, Number(url.searchParams.get('timeoutSeconds')));
    if (path === 'api/v1/namespaces/kube-system')
      return send(response, 200, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { uid: clusterUid(cluster) },
      });
    if (path === 'version') return send(response, 200, { gitVersion: 'v1.36.3' });
    if (path === 'readyz') return send(response, 200, {});
    if (path === 'apis/batch/v1/jobs' || path === 'api/v1/pods')
      return send(response, 200, {
        apiVersion: path.split('/').slice(1, -1).join('/'),
        kind: path.endsWith('pods') ? 'PodList' : 'JobList',
        metadata: { resourceVersion: String(version) },
        items: [],
      });
    if (path.includes('/leases')) return lease(request, response, `${cluster}/${path}`);
    return refuse(response, 404, 'NotFound');
  };
  const watch = (response: ServerResponse, seconds: number): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const bookmark = (): void => {
      version += 1;
      const object = { metadata: { resourceVersion: String(version) } };
      response.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
    };
    bookmark();
    const timer = setInterval(bookmark, bookmarkMs);
    const end = setTimeout(() => response.end(), seconds * 1000);
    response.on('close', () => {
      clearInterval(timer);
      clearTimeout(end);
    });
  };
  const lease = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    if (request.method === 'GET') {
      const found = leases.get(path);
      const details = { name: path.split('/').at(-1) ?? '', group: 'coordination.k8s.io', kind: 'leases' };
      return found === undefined ? refuse(response, 404, 'NotFound', details) : send(response, 200, found);
    }
    const body = JSON.parse(await text(request)) as Lease & { metadata: { name: string } };
    const key = request.method === 'POST' ? `${path}/${body.metadata.name}` : path;
    if (leases.get(key)?.metadata.resourceVersion !== body.metadata.resourceVersion)
      return refuse(response, 409, 'Conflict');
    version += 1;
    const kept = { ...body, metadata: { ...body.metadata, resourceVersion: String(version) } };
    leases.set(key, kept);
    return send(response, 200, kept);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    kubeconfig: (names) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: names.map((name) => ({ name, cluster: { server: `http://127.0.0.1:${port}/${name}` } })),
        users: [{ name: 'nobody', user: {} }],
        contexts: names.map((name) => ({ name, context: { cluster: name, user: 'nobody' } })),
        'current-context': names[0],
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function clusterUid(cluster: string): string {
  return createHash('sha256').update(cluster).digest('hex').slice(0, 32);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** `details`: the object that the answer is about. */
function refuse(response: ServerResponse, code: number, reason: string, details?: object): void {
  send(response, code, {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code,
    reason,
    message: `${reason} by a stand-in`,
    ...(details !== undefined && { details }),
  });
}
