import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { keepNodePresent } from '../../../../infra/local/node-agent/node/presence.ts';
import type { NodeObject } from '../../../../infra/local/node-agent/node/node-object.ts';
import { KubernetesApiError } from '../../../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import { silentLog } from '../../../../services/adapters/process/log.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

function refused(status: number): KubernetesApiError {
  return new KubernetesApiError({ status, reason: 'NotFound', message: `status ${status}`, causes: [] });
}

/** An API server with at most one Node and its Lease, which are deleted by emptying the fields. */
class AnApiServer {
  node: NodeObject | undefined;
  lease: { owner: string; renewTime?: string } | undefined;
  private nodes = 0;

  readonly client: KubernetesClient = {
    cluster: 'local',
    request: <T>(request: ApiRequest) => Promise.resolve().then(() => this.answer(request) as T),
    stream: () => Promise.reject(refused(404)),
  };

  private answer({ method, path, body }: ApiRequest): unknown {
    if (path === '/version') return { gitVersion: 'v1.36.3' };
    if (method === 'POST' && path === '/api/v1/nodes')
      return (this.node = { metadata: { name: 'local', uid: `node-${(this.nodes += 1)}` } });
    if (method === 'POST' && path === LEASES) {
      if (this.lease !== undefined) throw refused(409);
      const { metadata } = body as { metadata: { ownerReferences: [{ uid: string }] } };
      return (this.lease = { owner: metadata.ownerReferences[0].uid });
    }
    if (path === `${LEASES}/local` && this.lease !== undefined)
      return Object.assign(this.lease, (body as { spec: object }).spec);
    if (path.startsWith('/api/v1/nodes/local') && this.node !== undefined) return this.node;
    throw refused(404);
  }
}

describe('a node of the local cluster', () => {
  const end = new AbortController();
  const server = new AnApiServer();

  beforeEach(() => {
    jest.useFakeTimers({ now: new Date('2026-05-01T00:00:00Z') });
    const at = { name: 'local', address: '127.0.0.1' };
    const { client } = server;
    void keepNodePresent({ client, at, log: silentLog(), signal: end.signal, registered: () => undefined });
  });
  afterEach(() => {
    end.abort();
    jest.useRealTimers();
  });

  it('renews its Lease every 5 s, and registers again when its Node was deleted', async () => {
    await jest.advanceTimersByTimeAsync(0);
    expect(server.lease).toMatchObject({ owner: 'node-1', renewTime: '2026-05-01T00:00:00.000000Z' });
    await jest.advanceTimersByTimeAsync(5000);
    expect(server.lease).toMatchObject({ owner: 'node-1', renewTime: '2026-05-01T00:00:05.000000Z' });
    [server.node, server.lease] = [undefined, undefined];
    await jest.advanceTimersByTimeAsync(6000);
    expect(server.lease).toMatchObject({
      owner: 'node-2',
      holderIdentity: 'local',
      leaseDurationSeconds: 40,
    });
  });
});
