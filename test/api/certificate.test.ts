import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { readFileSync } from 'node:fs';
import { readConfig } from '../../services/adapters/config.ts';
import { openCertificate } from '../../services/adapters/http/certificate.ts';
import { httpEnvironment, requireAccess } from '../../services/api/access/config.ts';
import { createAuthentication } from '../../services/api/access/authentication.ts';
import { createHttpServer, listen } from '../../services/adapters/http/server.ts';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { makeCertificates, type Certificates } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-certificate-'));
const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
const files = { JOBLEDGER_API_TLS_CERT: cert, JOBLEDGER_API_TLS_KEY: key };
let [first, second]: (Certificates | undefined)[] = [];
let server: HttpServer;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  [first, second] = [
    await makeCertificates(join(folder, 'first')),
    await makeCertificates(join(folder, 'second')),
  ];
  show(first);
  const certificate = openCertificate(files, {
    log: silentLog(),
    shutdown: { onClose: (_name, close) => void closing.push(close) },
    pollMs: 20,
  });
  server = await createHttpServer({
    log: silentLog(),
    metrics: createMetrics(),
    certificate,
    authentication: createAuthentication({ tokens: null, people: [] }, 0),
    bodyLimit: 1000,
    timeoutMs: 1000,
    about: { title: 'Jobledger', version: '0', description: '' },
    toProblem: () => null,
  });
  await listen(server, { host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await server?.close();
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

function show({ serverCert, serverKey }: Certificates): void {
  copyFileSync(serverCert, cert);
  copyFileSync(serverKey, key);
}

/** The status that a client gets who trusts this authority, and the certificate that it was shown; null when it does not trust it. */
function get(ca: string): Promise<{ status: number | undefined; serial: string } | null> {
  const { port } = server.server.address() as { port: number };
  return new Promise((resolve) => {
    const request = https.get(
      { host: '127.0.0.1', port, path: '/nothing', ca: readFileSync(ca), agent: false },
      (response) => {
        const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
        response.resume();
        resolve({ status: response.statusCode, serial: serialNumber });
      },
    );
    request.on('error', () => resolve(null));
  });
}

it('the API serves HTTPS, and shows a renewed certificate without a restart', async () => {
  if (first === undefined || second === undefined) throw new Error('no certificates');
  expect(await get(first.ca)).toMatchObject({ status: 404 });
  expect(await get(second.ca)).toBeNull();
  // A pair of which one file is still the former is not used.
  copyFileSync(second.serverCert, cert);
  const { ca } = first;
  await eventually('the files were looked at', 5, () => get(ca).then((found) => found ?? undefined));
  show(second);
  const { ca: renewed } = second;
  await eventually('the new certificate is shown', 5, () => get(renewed).then((found) => found ?? undefined));
  expect(await get(first.ca)).toBeNull();
});

it('the API refuses to start with files that contain no certificate with its key, and names the files', () => {
  const context = { log: silentLog(), shutdown: { onClose: () => undefined } };
  const other = join(folder, 'other');
  writeFileSync(other, 'no key');
  expect(() => openCertificate({ ...files, JOBLEDGER_API_TLS_KEY: other }, context)).toThrow(
    `JOBLEDGER_API_TLS_CERT and JOBLEDGER_API_TLS_KEY: ${cert} and ${other} are not a certificate and its key, in PEM`,
  );
  expect(() => openCertificate({ ...files, JOBLEDGER_API_TLS_CERT: '/none' }, context)).toThrow(
    'JOBLEDGER_API_TLS_CERT: /none cannot be read',
  );
  expect(openCertificate({}, context)).toBeNull();
});

it('the API refuses a certificate without a key, and a key without a certificate', () => {
  const schema = httpEnvironment.superRefine(requireAccess);
  const given = { JOBLEDGER_API_TOKENS_FILE: 'tokens', JOBLEDGER_API_TLS_CERT: cert };
  expect(() => readConfig(schema, given)).toThrow(
    'JOBLEDGER_API_TLS_KEY: set both this variable and JOBLEDGER_API_TLS_CERT, or neither',
  );
});
