import { InputError } from '../adapters/errors.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { asRefusal } from '../adapters/kubernetes/refusals.ts';
import type { LiveRecord } from '../contracts/live-topic.ts';
import type { Log } from '../adapters/log.ts';
import { logFailures, retry } from '../adapters/retry.ts';

/** The identity of a cluster: the uid of its kube-system namespace, and its version. */
export interface Identity {
  uid: string;
  version: string;
}

/** Reads the identity of a cluster; waits while the cluster is down. @throws InputError when it refuses us. */
export function identityOf(client: KubernetesClient, log: Log, signal: AbortSignal): Promise<Identity> {
  const { cluster } = client;
  const onFailedAttempt = logFailures(log, 'the cluster does not answer; waiting for it', { cluster });
  return retry(() => read(client, signal).catch(asRefusal(cluster)), { signal, onFailedAttempt });
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
