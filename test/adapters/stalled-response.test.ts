import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { createKubernetesClient } from '../../services/adapters/kubernetes/client.ts';

describe('the stop of an API server in the middle of a response', () => {
  it('ends an ordinary request after its timeout, but not a stream', async () => {
    const begun: http.ServerResponse[] = [];
    const server = http.createServer((_request, response) => {
      begun.push(response);
      response.write('{"first":');
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
    const request = { method: 'GET', path: '/', timeoutMs: 100 } as const;
    try {
      const stream = await client.stream(request);
      await expect(client.request(request)).rejects.toThrow('a response of the API server broke off');
      begun[0]?.end('1}');
      let text = '';
      for await (const chunk of stream) text += String(chunk);
      expect(text).toBe('{"first":1}');
    } finally {
      await pool.destroy();
      server.close();
    }
  });
});
