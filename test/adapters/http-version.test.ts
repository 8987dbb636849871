import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { openApi } from '../../services/adapters/http/api-calls.ts';
import { createKubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../services/adapters/kubernetes/connection.ts';
import { makeCertificates } from '../support/certificates.ts';

let folder: string;
let ca: string;
let server: Http2SecureServer;
let url: string;
/** The HTTP version of each request. */
const versions: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-http-version-'));
  const files = await makeCertificates(folder);
  ({ ca } = files);
  const [cert, key] = [readFileSync(files.serverCert), readFileSync(files.serverKey)];
  server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    response.setHeader('content-type', 'application/json');
    response.end('{"gitVersion":"v1.37.2"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

it('a client speaks HTTP/1.1 with an API server that prefers HTTP/2', async () => {
  const kubeconfig = join(folder, 'kubeconfig');
  const named = { name: 'east', cluster: { server: url, 'certificate-authority': ca } };
  const contexts = [{ name: 'east', context: { cluster: 'east', user: 'east' } }];
  writeFileSync(
    kubeconfig,
    JSON.stringify({ clusters: [named], users: [{ name: 'east', user: {} }], contexts }),
  );
  const [connection] = connectClusters({ kubeconfig, contexts: ['east'] });
  if (connection === undefined) throw new Error('no context east');
  versions.length = 0;
  await createKubernetesClient(connection).request({ method: 'GET', path: '/version' });
  expect(versions).toEqual(['1.1']);
});

it('a client speaks HTTP/1.1 with the API of Jobledger behind a proxy that prefers HTTP/2', async () => {
  const api = openApi({ url, token: null, ca: readFileSync(ca, 'utf8') });
  versions.length = 0;
  await api.get('/v1/anything', {}, z.unknown());
  expect(versions).toEqual(['1.1']);
});
