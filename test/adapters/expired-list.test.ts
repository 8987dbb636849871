import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { createKubernetesClient, type KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { ExpiredError, listPages } from '../../services/adapters/kubernetes/watch.ts';

const stops: (() => void)[] = [];

afterEach(() => stops.splice(0).forEach((stop) => stop()));

/**
 * An API server with a list of four pages, whose continue tokens `<page>@<version>` expire. Like the real one it answers them with a
 * token for the rest at its present version. `compacts`: the pages before which its history is dropped.
 */
async function anApiServer({
  compacts,
  goesOn = true,
}: {
  compacts: readonly number[];
  goesOn?: boolean;
}): Promise<{ client: KubernetesClient; asked: string[] }> {
  const asked: string[] = [];
  const left = [...compacts];
  let present = 7;
  const server = createServer((request, response) => {
    const token = new URL(request.url ?? '', 'http://played').searchParams.get('continue') ?? `0@${present}`;
    asked.push(token);
    const [page = 0, version = 0] = token.split('@').map(Number);
    if (left[0] === page) {
      left.shift();
      present += 1;
    }
    if (version < present) {
      const metadata = goesOn ? { continue: `${page}@${present}` } : {};
      response.statusCode = 410;
      response.setHeader('content-type', 'application/json');
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        metadata,
        status: 'Failure',
        reason: 'Expired',
        code: 410,
      };
      response.end(JSON.stringify({ ...status, message: 'the provided continue parameter is too old' }));
      return;
    }
    const next = page < 3 ? { continue: `${page + 1}@${version}` } : {};
    const metadata = { resourceVersion: String(version), ...next };
    response.end(
      JSON.stringify({ kind: 'JobList', apiVersion: 'batch/v1', metadata, items: [`item-${page}`] }),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const pool = new Pool(`http://127.0.0.1:${port}`);
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = createKubernetesClient({
    cluster: 'east',
    context: 'east',
    server: new URL(`http://127.0.0.1:${port}`),
    access: () => Promise.resolve({ pool, headers: {} }),
  });
  return { client, asked };
}

async function read(
  client: KubernetesClient,
  onExpired?: () => void,
): Promise<{ items: string[]; versions: string[] }> {
  const [items, versions]: [string[], string[]] = [[], []];
  for await (const page of listPages<string>(client, '/apis/batch/v1/jobs', '', undefined, onExpired)) {
    items.push(...page.items);
    versions.push(page.metadata.resourceVersion);
  }
  return { items, versions };
}

describe('a list request whose resource version expires before the last page', () => {
  it('continues at the current resource version, as often as necessary, and ends', async () => {
    const { client, asked } = await anApiServer({ compacts: [1, 3] });
    let expired = 0;
    const { items, versions } = await read(client, () => (expired += 1));
    expect(items).toEqual(['item-0', 'item-1', 'item-2', 'item-3']);
    expect(versions).toEqual(['7', '8', '8', '9']);
    expect(asked).toEqual(['0@7', '1@7', '1@8', '2@8', '3@8', '3@9']);
    expect(expired).toBe(2);
  });

  it('fails when all pages must have one resource version, or when the API server gives no token to continue', async () => {
    const { client } = await anApiServer({ compacts: [1] });
    await expect(read(client)).rejects.toThrow(ExpiredError);
    const other = await anApiServer({ compacts: [1], goesOn: false });
    await expect(read(other.client, () => undefined)).rejects.toThrow(ExpiredError);
  });
});
