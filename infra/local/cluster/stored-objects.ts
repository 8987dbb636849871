import { readFileSync } from 'node:fs';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import path from 'node:path';
import { UnavailableError } from '../../../services/adapters/errors.ts';
import { createSupervisor } from '../../processes/supervisor.ts';
import { abortable } from '../abortable.ts';
import { LOOPBACK, reservePorts } from '../ports.ts';
import type { PlanContext } from '../steps.ts';
import { openCredentials, type KeyPairFiles } from './credentials.ts';
import { etcdServer } from './etcd.ts';

/** The API server's default prefix of all keys. */
const PREFIX = '/registry';

/**
 * The objects of these resources in a stopped cluster's data, as `podgroups default/a`. `etcd` is the program of the data's
 * version, and runs for this time; no API server does, which would need the gates and the API of these objects.
 */
export async function storedObjects(
  cluster: string,
  resources: readonly string[],
  context: PlanContext & { readonly etcd: string },
): Promise<string[]> {
  const { state, say, signal, etcd } = context;
  const name = `${cluster}-etcd`;
  const dir = state.at('cluster', cluster);
  const port = await reservePorts(state.at('ports.json'), [name]);
  const credentials = await openCredentials(path.join(dir, 'pki', 'etcd'), name);
  const client = await credentials.clientFiles('kube-apiserver', { commonName: 'kube-apiserver' });
  const spec = await etcdServer({
    name,
    dir,
    port: port(name),
    etcd,
    credentials,
    client,
    answersHttp: true,
  });
  const supervisor = createSupervisor({ runDir: state.at('run', 'servers'), logsDir: state.at('logs'), say });
  const at = { port: port(name), authorityFile: credentials.authorityFile, client };
  try {
    await abortable(supervisor.start(spec), signal);
    const found = await Promise.all(resources.map((resource) => keysBelow(`${PREFIX}/${resource}/`, at)));
    return found.flat().map(objectOf);
  } finally {
    await supervisor.stop();
  }
}

/** `/registry/podgroups/default/a` → `podgroups default/a`. */
function objectOf(key: string): string {
  const [resource = '', ...name] = key.slice(PREFIX.length + 1).split('/');
  return `${resource} ${name.join('/')}`;
}

/** All keys with this prefix, in order, through etcd's JSON gateway (`/v3/kv/range`). */
async function keysBelow(
  prefix: string,
  at: { port: number; authorityFile: string; client: KeyPairFiles },
): Promise<string[]> {
  const after = `${prefix.slice(0, -1)}${String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1)}`;
  const range = { key: base64(prefix), range_end: base64(after), keys_only: true };
  const { kvs = [] } = await post<{ kvs?: { key: string }[] }>('/v3/kv/range', range, at);
  return kvs.map(({ key }) => Buffer.from(key, 'base64').toString());
}

function post<T>(
  target: string,
  body: object,
  at: { port: number; authorityFile: string; client: KeyPairFiles },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      ca: readFileSync(at.authorityFile),
      key: readFileSync(at.client.key),
      cert: readFileSync(at.client.certificate),
      agent: false,
    };
    const request = https.request(`https://${LOOPBACK}:${at.port}${target}`, options, (response) => {
      if (response.statusCode === 200)
        return void json(response).then((given) => resolve(given as T), reject);
      response.resume();
      reject(new UnavailableError(`etcd responded to ${target} with status ${response.statusCode}`));
    });
    request.setTimeout(10_000, () => request.destroy(new UnavailableError(`etcd did not answer ${target}`)));
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
