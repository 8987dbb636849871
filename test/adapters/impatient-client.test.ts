import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Pool } from 'undici';
import { createKubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { impatientClient } from '../../services/adapters/kubernetes/impatient-client.ts';

const LIMIT_MS = 200;

describe('a Kafka request for which other requests wait', () => {
  it('ends at its time limit when the network accepts its connection but delivers no data', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => void sockets.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const pool = new Pool(url);
    const client = createKubernetesClient({
      cluster: 'west',
      context: 'west',
      server: new URL(url),
      access: () => Promise.resolve({ pool, headers: {} }),
    });
    const begun = Date.now();
    try {
      await expect(
        impatientClient(client, LIMIT_MS).request({ method: 'GET', path: '/api' }),
      ).rejects.toThrow('cluster "west" did not answer within 200 ms');
      // Without the limit, the connection is given up after 10 s.
      expect(Date.now() - begun).toBeLessThan(5000);
    } finally {
      await pool.destroy();
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });
});
