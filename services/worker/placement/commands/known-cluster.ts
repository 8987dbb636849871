import { isAbsent, errorMessage, UnavailableError } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { isRefusal } from '../../../adapters/kubernetes/refusals.ts';
import type { Log } from '../../../adapters/process/log.ts';
import { cacheFor } from '../../../adapters/waiting/shared.ts';
import { anotherClusterText, namespaceUid, recordedIdentity } from '../../../live-topic/cluster-identity.ts';
import type { LiveRecord } from '../../../live-topic/live-topic.ts';

interface KnownClusterDependencies {
  /** Reads the identities of all clusters from the live topic. */
  readIdentities: () => Promise<readonly LiveRecord[]>;
  log: Log;
}

/**
 * Checks a cluster. @throws UnavailableError when the cluster is not the cluster that the ledger knows under the name.
 */
export type RequireKnownCluster = (client: KubernetesClient, signal: AbortSignal) => Promise<void>;

/** The interval at which the record is read again while a cluster is not the recorded cluster, in milliseconds. */
const READ_AGAIN_MS = 10_000;

/**
 * Compares a cluster with the cluster that the ingester has recorded under its name. Another cluster has none of the
 * recorded Jobs and pods, but their absence from the other cluster does not prove that they have ended (J-16.13). A
 * cluster that was never recorded is not compared, and neither is a cluster whose uid this account may not read, which
 * is logged once.
 */
export function createRequireKnownCluster({
  readIdentities,
  log,
}: KnownClusterDependencies): RequireKnownCluster {
  let known: readonly LiveRecord[] = [];
  const readAgain = cacheFor(async () => void (known = await readIdentities()), READ_AGAIN_MS);
  const unreadable = new Set<string>();
  const readUid = async (
    client: KubernetesClient,
    namespace: string,
    signal: AbortSignal,
  ): Promise<string | null> => {
    const { cluster } = client;
    try {
      return await namespaceUid(client, namespace, signal);
    } catch (error) {
      if (isAbsent(error)) return 'without this namespace';
      if (!isRefusal(error)) throw error;
      if (!unreadable.has(cluster))
        log.error(
          { cluster, namespace, error: errorMessage(error) },
          'the identity of this cluster is not compared with the ledger; grant the worker "get" on this one Namespace (docs/operate/install.md, "Rights")',
        );
      unreadable.add(cluster);
      return null;
    }
  };
  return async (client, signal) => {
    const { cluster } = client;
    let other: string | null = null;
    for (const isSecond of [false, true]) {
      if (isSecond) await readAgain();
      const recorded = recordedIdentity(cluster, known);
      if (recorded === null) continue;
      const uid = await readUid(client, recorded.namespace, signal);
      if (uid === null || uid === recorded.uid) return;
      other = anotherClusterText(cluster, recorded.uid, uid);
    }
    if (other !== null) throw new UnavailableError(other);
  };
}
