import { getEventListeners, getMaxListeners, once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { createKubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { eventually } from '../support/eventually.ts';

const TOGETHER = 12;

describe('many concurrent requests with one abort signal', () => {
  it('cause no warning of a leak by Node, and leave no listener on the signal', async () => {
    const waiting: http.ServerResponse[] = [];
    const server = http.createServer((_request, response) => {
      waiting.push(response);
      if (waiting.length === TOGETHER) for (const each of waiting) each.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const pool = new Pool(`http://127.0.0.1:${port}`);
    const client = createKubernetesClient({
      cluster: 'east',
      context: 'east',
      server: new URL(`http://127.0.0.1:${port}`),
      access: () => Promise.resolve({ pool, headers: {} }),
    });
    try {
      const { signal } = new AbortController();
      const request = { method: 'GET', path: '/', signal } as const;
      await Promise.all(Array.from({ length: TOGETHER }, () => client.request(request)));
      // Above this number Node writes a warning of a leak.
      expect(getMaxListeners(signal)).toBeGreaterThanOrEqual(TOGETHER);
      await eventually('nothing listens any more', 5, () =>
        Promise.resolve(getEventListeners(signal, 'abort').length === 0 || undefined),
      );
    } finally {
      await pool.close();
      server.close();
    }
  });
});
