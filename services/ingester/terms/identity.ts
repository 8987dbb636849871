import { InputError, isAbsent, errorMessage, UnavailableError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { clusterFacts, type ClusterFacts } from '../../adapters/kubernetes/cluster-facts.ts';
import { rethrowAsRefusal, isRefusal } from '../../adapters/kubernetes/refusals.ts';
import {
  anotherClusterText,
  identityRecords,
  KUBE_SYSTEM,
  namespaceUid,
  recordedIdentity,
} from '../../live-topic/cluster-identity.ts';
import type { LiveRecord } from '../../live-topic/live-topic.ts';
import type { Log } from '../../adapters/process/log.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';

/** The identity of a cluster: the uid of one of its namespaces, and the facts about the cluster. */
export interface Identity extends ClusterFacts {
  uid: string;
  /** The namespace that has the uid; absent for kube-system. */
  namespace?: string;
}

interface IdentityDependencies {
  /** The records of the live topic. */
  known: readonly LiveRecord[];
  /**
   * The namespace whose uid identifies the cluster if only some namespaces are watched, so that kube-system need not be
   * readable.
   */
  leaseNamespace: string;
  namespaces: readonly string[];
  log: Log;
  signal: AbortSignal;
  /**
   * Called after each attempt; `answers` is true when the cluster that the ledger knows answered. An ingester may start
   * while this cluster is unavailable (J-16.13).
   */
  silence?: (answers: boolean) => void;
}

/** Thrown when the name of the cluster belongs to another cluster in the ledger. */
class OtherClusterError extends InputError {}

/**
 * Reads the identity of a cluster; waits while the cluster is down. The uid of kube-system identifies a cluster
 * forever. The uid of another namespace is compared before the uid of kube-system replaces it. @throws InputError when
 * the cluster refuses us, or when its name belongs to another cluster.
 */
export function readIdentity(
  client: KubernetesClient,
  dependencies: IdentityDependencies,
): Promise<Identity> {
  const { cluster } = client;
  const { log, signal } = dependencies;
  const onFailedAttempt = logFailures(log, 'the cluster does not answer; waiting for it', { cluster });
  // The silence of a cluster that was never connected is not recorded.
  const silence = recordedIdentity(cluster, dependencies.known) === null ? undefined : dependencies.silence;
  const attempt = async (): Promise<Identity> => {
    try {
      const identity = await readIdentityOnce(client, dependencies);
      silence?.(true);
      return identity;
    } catch (error) {
      silence?.(!(error instanceof UnavailableError || error instanceof OtherClusterError));
      throw error;
    }
  };
  return retry(attempt, { signal, onFailedAttempt });
}

async function readIdentityOnce(
  client: KubernetesClient,
  { known, leaseNamespace, namespaces, signal }: IdentityDependencies,
): Promise<Identity> {
  const { cluster } = client;
  const before = recordedIdentity(cluster, known);
  const isByKubeSystem = namespaces.length === 0 || before?.namespace === KUBE_SYSTEM;
  const namespace = isByKubeSystem ? KUBE_SYSTEM : leaseNamespace;
  if (before !== null && before.namespace !== namespace)
    requireSameCluster(cluster, before.uid, await readPresentUid(client, before.namespace, signal));
  const uid =
    before?.namespace === namespace && namespaces.length > 0
      ? await readPresentUid(client, namespace, signal)
      : await namespaceUid(client, namespace, signal).catch(rethrowAsRefusal(cluster));
  if (before?.namespace === namespace) requireSameCluster(cluster, before.uid, uid);
  const facts = await clusterFacts(client, signal).catch(rethrowAsRefusal(cluster));
  return { uid, ...facts, ...(namespace !== KUBE_SYSTEM && { namespace }) };
}

/**
 * The present uid of the namespace that identifies the cluster. @throws InputError with advice when the namespace
 * cannot be read.
 */
async function readPresentUid(
  client: KubernetesClient,
  namespace: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await namespaceUid(client, namespace, signal);
  } catch (error) {
    const isMissing = isAbsent(error);
    if (!isMissing && !isRefusal(error)) throw error;
    const remedy = isMissing
      ? ''
      : `grant our account "get" on this one Namespace, by a Role in ${namespace} (docs/operate/install.md), or `;
    const Refusal = isMissing ? OtherClusterError : InputError;
    throw new Refusal(
      `in the ledger, the cluster "${client.cluster}" is identified by the uid of its namespace ${namespace}, which cannot be read: ${errorMessage(error)}; ${remedy}give this cluster another name with --cluster-name`,
    );
  }
}

/** The records that replace a cluster's earlier identity. */
export function replaceIdentity(
  known: readonly LiveRecord[],
  cluster: string,
  identity: Pick<Identity, 'uid' | 'namespace'>,
): LiveRecord[] {
  return [
    ...known.filter((record) => record.cluster !== cluster || record.kind !== 'identity'),
    ...identityRecords(cluster, identity),
  ];
}

/**
 * Rejects a name that belongs to another cluster in the ledger, because the histories would mix. @throws InputError
 * that names both clusters.
 */
function requireSameCluster(cluster: string, recorded: string, uid: string): void {
  if (recorded !== uid)
    throw new OtherClusterError(
      `${anotherClusterText(cluster, recorded, uid)}; give this cluster another name with --cluster-name`,
    );
}

/**
 * Rejects a cluster with two names, whose history would be recorded twice. @throws InputError that contains both names.
 */
export function requireOneName(
  cluster: string,
  { uid }: Pick<Identity, 'uid'>,
  known: readonly LiveRecord[],
): void {
  const other = known.find(
    (record) => record.kind === 'identity' && record.cluster !== cluster && record.value === uid,
  );
  if (other !== undefined)
    throw new InputError(
      `"${cluster}" and "${other.cluster}" are the same cluster (${uid}); use the name "${other.cluster}", or only one context`,
    );
}
