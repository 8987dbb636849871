import { InputError, KubernetesApiError, messageOf } from '../adapters/errors.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import type { LiveRecord } from '../adapters/kafka/live-topic.ts';
import type { Log } from '../adapters/log.ts';

/** What a cluster is: the uid of its kube-system namespace, and its version. */
export interface Identity {
  uid: string;
  version: string;
}

const RETRY_MS = 1000;

/** Asks the cluster who it is, waiting for it when it is away. @throws InputError when it may not be asked. */
export async function identityOf(client: KubernetesClient, log: Log, signal: AbortSignal): Promise<Identity> {
  for (let tries = 0; ; tries += 1) {
    try {
      const namespace = await client.request<{ metadata: { uid: string } }>({
        method: 'GET',
        path: '/api/v1/namespaces/kube-system',
        signal,
      });
      const version = await client.request<{ gitVersion: string }>({
        method: 'GET',
        path: '/version',
        signal,
      });
      return { uid: namespace.metadata.uid, version: version.gitVersion };
    } catch (error) {
      if (signal.aborted) throw error;
      if (isRefusal(error)) {
        throw new InputError(
          `cluster "${client.cluster}" refuses its identity: ${messageOf(error)}; apply the RBAC manifests of infra/kubernetes`,
        );
      }
      log[tries % 5 === 0 ? 'warn' : 'debug'](
        { cluster: client.cluster, error: messageOf(error) },
        'the cluster does not answer; waiting for it',
      );
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof KubernetesApiError && (error.status === 401 || error.status === 403);
}

/**
 * One name with another cluster behind it, or one cluster under two names, would mix histories.
 * @throws InputError naming both.
 */
export function requireSameCluster(cluster: string, { uid }: Identity, known: readonly LiveRecord[]): void {
  for (const record of known) {
    if (record.kind !== 'identity') continue;
    if (record.cluster === cluster && record.value !== uid) {
      throw new InputError(
        `the ledger knows "${cluster}" as the cluster ${String(record.value)}, but this one is ${uid}; give this cluster another name with --cluster-name`,
      );
    }
    if (record.cluster !== cluster && record.value === uid) {
      throw new InputError(
        `"${cluster}" and "${record.cluster}" are one cluster (${uid}); use the name "${record.cluster}", or one context only`,
      );
    }
  }
}
