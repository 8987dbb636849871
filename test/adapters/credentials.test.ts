import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { openCredentials, type Credentials } from '../../infra/local/cluster/credentials.ts';
import { createKubernetesClient, type KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../services/adapters/kubernetes/connection.ts';
import { eventually } from '../support/eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-credentials-'));
let first: Credentials;
let second: Credentials;

let server: https.Server;
/** How the client identified itself: its token, and the name in its certificate. */
let asked: { token: string | undefined; name: string | undefined }[] = [];
/** Accepted tokens; null for any. */
const UNAUTHORIZED = JSON.stringify({ kind: 'Status', apiVersion: 'v1', reason: 'Unauthorized' });
let valid: Set<string> | null = null;
let onRequest: () => void = () => undefined;

beforeAll(async () => {
  first = await openCredentials(join(folder, 'first'), 'first-authority');
  second = await openCredentials(join(folder, 'second'), 'second-authority');
  const pair = await readPair(first);
  server = https.createServer({ ...pair, ca: first.authority, requestCert: true, rejectUnauthorized: false });
  server.on('request', (request, answer) => {
    const token = request.headers.authorization?.replace('Bearer ', '');
    const certificate = (request.socket as TLSSocket).getPeerCertificate();
    const name = (certificate as Partial<typeof certificate>).subject?.CN;
    asked.push({ token, name: Array.isArray(name) ? name[0] : name });
    onRequest();
    answer.statusCode = valid === null || valid.has(token ?? '') ? 200 : 401;
    answer.end(answer.statusCode === 401 ? UNAUTHORIZED : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

beforeEach(async () => {
  asked = [];
  valid = null;
  onRequest = () => undefined;
  server.setSecureContext({ ...(await readPair(first)), ca: first.authority });
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

async function readPair(credentials: Credentials): Promise<{ key: Buffer; cert: Buffer }> {
  const { key, certificate } = await credentials.serverFiles('server');
  return { key: readFileSync(key), cert: readFileSync(certificate) };
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** A client with a kubeconfig of this user, whose files are relative to its own folder. */
function createClient(user: object, authority = write('ca.crt', first.authority)): KubernetesClient {
  const { port } = server.address() as AddressInfo;
  const config = {
    clusters: [
      { name: 'c', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': authority } },
    ],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'here',
  };
  const kubeconfig = write('kubeconfig', JSON.stringify(config));
  const [connection] = connectClusters({ kubeconfig, contexts: [] });
  if (connection === undefined) throw new Error('one context gives one connection');
  return createKubernetesClient(connection);
}

const ask = (client: KubernetesClient): Promise<object> =>
  client.request({ method: 'GET', path: '/version' });

/** Asks until a request arrives as wanted: credentials are read at most once a second. */
const untilAsked = (client: KubernetesClient, isWanted: (last: (typeof asked)[number]) => boolean) =>
  eventually('the new credentials', 5, async () => {
    asked = [];
    await ask(client).catch(() => undefined);
    return asked.some(isWanted) ? true : undefined;
  });

describe('a token that is read from a file', () => {
  it.each([
    ['the setting tokenFile of kubectl', { tokenFile: 'token' }],
    ['the setting token-file of the library', { 'token-file': 'token' }],
    [
      'the in-cluster form of the library',
      { 'auth-provider': { name: 'tokenFile', config: { tokenFile: 'token' } } },
    ],
  ])('is read again after its renewal, when it is configured with %s', async (_name, user) => {
    write('token', 'one\n');
    const client = createClient(user);
    await ask(client);
    expect(asked.map(({ token }) => token)).toEqual(['one']);
    write('token', 'two\n');
    await untilAsked(client, ({ token }) => token === 'two');
    expect(asked.map(({ token }) => token)).toEqual(['two']);
  });

  it('is read again when the API refuses the old token (401), and the same request succeeds', async () => {
    write('token', 'old');
    valid = new Set(['new']);
    const client = createClient({ tokenFile: 'token' });
    onRequest = () => void write('token', 'new');
    expect(await ask(client)).toEqual({});
    expect(asked.map(({ token }) => token)).toEqual(['old', 'new']);
  });

  it('is sent once and never printed when the API refuses it and the file is unchanged', async () => {
    write('token', 'planted-token');
    valid = new Set();
    const refused = ask(createClient({ tokenFile: 'token' }));
    await expect(refused).rejects.toMatchObject({ status: 401 });
    await expect(refused).rejects.not.toThrow('planted-token');
    expect(asked).toHaveLength(1);
  });

  it('keeps its last value while the file is missing', async () => {
    const file = write('gone', 'one');
    const client = createClient({ tokenFile: 'gone' });
    await ask(client);
    rmSync(file);
    await ask(client);
    expect(asked.map(({ token }) => token)).toEqual(['one', 'one']);
  });

  it('causes an error that names its file when the file does not exist', async () => {
    await expect(ask(createClient({ tokenFile: 'nowhere' }))).rejects.toThrow(
      `the token file ${join(folder, 'nowhere')} cannot be read`,
    );
  });
});

describe('a TLS certificate that is read from a file', () => {
  const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
  const renew = async (commonName: string): Promise<void> => {
    const { key, certificate } = await first.client({ commonName });
    write('client.crt', certificate);
    write('client.key', key);
  };

  it('is read again after its renewal when it is the certificate of a client', async () => {
    await renew('one');
    const client = createClient(user);
    await ask(client);
    expect(asked.map(({ name }) => name)).toEqual(['one']);
    await renew('two');
    await untilAsked(client, ({ name }) => name === 'two');
    expect(asked.map(({ name }) => name)).toEqual(['two']);
  });

  it('is read again after a change of the file when it is the certificate of an authority', async () => {
    const authority = write('rotated.crt', first.authority);
    const client = createClient({ token: 'any' }, authority);
    await ask(client);
    server.setSecureContext(await readPair(second));
    server.closeAllConnections();
    await expect(ask(client)).rejects.toThrow(/did not answer/);
    write('rotated.crt', `${first.authority}\n${second.authority}`);
    await untilAsked(client, () => true);
  });
});
