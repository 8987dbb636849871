import { InputError, messageOf } from '../adapters/errors.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { asRefusal } from '../adapters/kubernetes/refusals.ts';
import type { LiveRecord } from '../contracts/live-topic.ts';
import type { Log } from '../adapters/log.ts';
import { pause } from '../adapters/pause.ts';

/** The identity of a cluster: the uid of its kube-system namespace, and its version. */
export interface Identity {
  uid: string;
  version: string;
}

const RETRY_MS = 1000;

/** Reads the identity of a cluster; waits while the cluster is down. @throws InputError when it refuses us. */
export async function identityOf(client: KubernetesClient, log: Log, signal: AbortSignal): Promise<Identity> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await read(client, signal).catch(asRefusal(client.cluster));
    } catch (error) {
      if (signal.aborted || error instanceof InputError) throw error;
      log[tries % 5 === 0 ? 'warn' : 'debug'](
        { cluster: client.cluster, error: messageOf(error) },
        'the cluster does not answer; waiting for it',
      );
      await pause(RETRY_MS, signal);
    }
  }
}

async function read(client: KubernetesClient, signal: AbortSignal): Promise<Identity> {
  const namespace = await client.request<{ metadata: { uid: string } }>({
    method: 'GET',
    path: '/api/v1/namespaces/kube-system',
    signal,
  });
  const version = await client.request<{ gitVersion: string }>({ method: 'GET', path: '/version', signal });
  return { uid: namespace.metadata.uid, version: version.gitVersion };
}

/**
 * Rejects a name that now belongs to another cluster, and a cluster with two names, because histories would mix.
 * @throws InputError naming both.
 */
export function requireSameCluster(cluster: string, { uid }: Identity, known: readonly LiveRecord[]): void {
  for (const record of known) {
    if (record.kind !== 'identity') continue;
    if (record.cluster === cluster && record.value !== uid) {
      throw new InputError(
        `in the ledger, "${cluster}" is the cluster ${String(record.value)}, but this one is ${uid}; give this cluster another name with --cluster-name`,
      );
    }
    if (record.cluster !== cluster && record.value === uid) {
      throw new InputError(
        `"${cluster}" and "${record.cluster}" are the same cluster (${uid}); use the name "${record.cluster}", or one context only`,
      );
    }
  }
}
