import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { readConfig } from '../../services/adapters/config.ts';
import { createKubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import {
  createRateLimit,
  rateLimitEnvironment,
  configuredRateLimit,
  unlimited,
} from '../../services/adapters/kubernetes/rate-limit.ts';

/** A stopped clock; each sleep reports when it would end. */
function aClock() {
  const clock = {
    time: 0,
    now: () => clock.time,
    sleep: (milliseconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      waits.push(milliseconds);
      return Promise.resolve();
    },
  };
  const waits: number[] = [];
  return { clock, waits };
}

describe('the limit of requests to an API server', () => {
  it('allows a burst at once, then the configured rate per second, in order', async () => {
    const { clock, waits } = aClock();
    const limit = createRateLimit({ qps: 10, burst: 3 }, clock);
    for (let request = 0; request < 6; request += 1) await limit();
    expect(waits).toEqual([100, 200, 300]);
  });

  it('allows only one burst again after a pause, however long the pause was', async () => {
    const { clock, waits } = aClock();
    const limit = createRateLimit({ qps: 10, burst: 2 }, clock);
    await limit();
    clock.time = 60_000;
    for (let request = 0; request < 3; request += 1) await limit();
    expect(waits).toEqual([100]);
  });

  it('gives the turn of an aborted request to the next request', async () => {
    const { clock, waits } = aClock();
    const limit = createRateLimit({ qps: 1, burst: 1 }, clock);
    await limit();
    await expect(limit(AbortSignal.abort())).rejects.toThrow('aborted');
    await limit();
    expect(waits).toEqual([1000]);
  });

  it('applies to every request of a client', async () => {
    const server = http.createServer((_request, answer) => answer.end('{}')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const order: string[] = [];
    const client = createKubernetesClient(
      {
        cluster: 'east',
        context: 'east',
        server: new URL(`http://127.0.0.1:${port}`),
        access: () => Promise.resolve({ pool: new Pool(`http://127.0.0.1:${port}`), headers: {} }),
      },
      {
        limit: () => Promise.resolve(void order.push('limit')),
        observe: ({ method, host, status }) => order.push(`${method} ${host} ${status}`),
      },
    );
    await client.request({ method: 'GET', path: '/version?token=secret' });
    server.close();
    server.closeAllConnections();
    await expect(client.request({ method: 'GET', path: '/version' })).rejects.toThrow('did not answer');
    const host = `127.0.0.1:${port}`;
    expect(order).toEqual(['limit', `GET ${host} 200`, 'limit', `GET ${host} 0`]);
  });
});

describe('the variables JOBLEDGER_KUBE_API_QPS and JOBLEDGER_KUBE_API_BURST', () => {
  it('limit no requests by default', () => {
    expect(configuredRateLimit(readConfig(rateLimitEnvironment, {}))).toBe(unlimited);
    expect(configuredRateLimit(readConfig(rateLimitEnvironment, { JOBLEDGER_KUBE_API_QPS: '20' }))).not.toBe(
      unlimited,
    );
  });

  it.each([
    { JOBLEDGER_KUBE_API_QPS: '0' },
    { JOBLEDGER_KUBE_API_QPS: 'many' },
    { JOBLEDGER_KUBE_API_QPS: '5', JOBLEDGER_KUBE_API_BURST: '1.5' },
    { JOBLEDGER_KUBE_API_BURST: '0', JOBLEDGER_KUBE_API_QPS: '5' },
  ])('are refused when they have the value %j', (environment) => {
    expect(() => readConfig(rateLimitEnvironment, environment)).toThrow('JOBLEDGER_KUBE_API_');
  });
});
