import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { createKubernetesClient, type KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { listPages } from '../../services/adapters/kubernetes/watch.ts';

const ITEM = `"${'x'.repeat(20 * 1024 * 1024)}"`;
let server: Server;
/** `<from>+<limit>` of each request. */
let asked: string[] = [];

/** An API server with a list of five items of 20 MiB, which answers at most as many as the limit says. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://played').searchParams;
    const [from, limit] = [Number(query.get('continue') ?? 0), Number(query.get('limit'))];
    asked.push(`${from}+${limit}`);
    const items = Array.from({ length: Math.min(limit, 5 - from) }, () => ITEM);
    const next = from + limit < 5 ? { continue: String(from + limit) } : {};
    response.end(
      `{"metadata":${JSON.stringify({ resourceVersion: '7', ...next })},"items":[${items.join(',')}]}`,
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});

afterAll(
  () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
    }),
);

function client(): KubernetesClient {
  const { port } = server.address() as AddressInfo;
  return createKubernetesClient({
    cluster: 'east',
    context: 'east',
    server: new URL(`http://127.0.0.1:${port}`),
    access: () => Promise.resolve({ pool: new Pool(`http://127.0.0.1:${port}`), headers: {} }),
  });
}

describe('a list response with large objects', () => {
  it('is read in smaller pages when a page is too long for memory, and the reader misses no object', async () => {
    asked = [];
    let items = 0;
    for await (const page of listPages<string>(client(), '/large')) items += page.items.length;
    expect(items).toBe(5);
    expect(asked).toEqual([
      '0+500',
      '0+250',
      '0+125',
      '0+63',
      '0+32',
      '0+16',
      '0+8',
      '0+4',
      '0+2',
      '2+2',
      '4+2',
    ]);
  }, 60_000);
});
