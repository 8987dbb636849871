import { readFileSync } from 'node:fs';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import { UnavailableError } from '../../../services/adapters/errors.ts';
import { LOOPBACK } from '../state/ports.ts';
import type { KeyPairFiles } from './credentials.ts';

/** An etcd that answers JSON requests (`answersHttp`). */
export interface EtcdAt {
  readonly port: number;
  readonly authorityFile: string;
  readonly client: KeyPairFiles;
}

/** A key, and the revisions at which it was created and last changed. */
export interface EtcdKey {
  readonly key: string;
  readonly created: string;
  readonly changed: string;
}

interface Range {
  kvs?: { key: string; create_revision: string; mod_revision: string }[];
}

/** The limit of operations in a transaction (etcd's `--max-txn-ops`). */
const OPERATIONS = 128;

/** All keys with this prefix, in order, through etcd's JSON gateway (`/v3/kv/range`). */
export async function keysBelow(prefix: string, at: EtcdAt): Promise<EtcdKey[]> {
  const after = `${prefix.slice(0, -1)}${String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1)}`;
  const range = { key: base64(prefix), range_end: base64(after), keys_only: true };
  const { kvs = [] } = await postJson<Range>('/v3/kv/range', range, at);
  return kvs.map(({ key, create_revision: created, mod_revision: changed }) => ({
    key: Buffer.from(key, 'base64').toString(),
    created,
    changed,
  }));
}

/** Deletes these keys, many in one transaction. */
export async function deleteKeys(keys: readonly string[], at: EtcdAt): Promise<void> {
  for (let first = 0; first < keys.length; first += OPERATIONS) {
    const some = keys.slice(first, first + OPERATIONS);
    const success = some.map((key) => ({ request_delete_range: { key: base64(key) } }));
    await postJson('/v3/kv/txn', { success }, at);
  }
}

function postJson<T>(target: string, body: object, at: EtcdAt): Promise<T> {
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
