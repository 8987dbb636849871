import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { scanLiveTopic, type LiveRecord } from './live-topic.ts';

/** The namespace whose uid identifies a cluster whose namespaces are all watched. */
export const KUBE_SYSTEM = 'kube-system';

/** The uid that identifies a cluster, and its namespace; the namespace is absent for kube-system. */
export interface ClusterUid {
  uid: string;
  namespace?: string | undefined;
}

/**
 * The records of a cluster's identity in the order in which they are written: the uid is last, because without the
 * record of its namespace it would count as the uid of kube-system.
 */
export function identityRecords(cluster: string, { uid, namespace }: ClusterUid): LiveRecord[] {
  return [
    ...(namespace === undefined
      ? []
      : [{ cluster, kind: 'identity-namespace' as const, key: uid, value: namespace }]),
    { cluster, kind: 'identity', key: 'uid', value: uid },
  ];
}

/** The namespace that identifies a cluster, and its uid; null for a new cluster. */
export function recordedIdentity(
  cluster: string,
  known: readonly LiveRecord[],
): { uid: string; namespace: string } | null {
  const ofCluster = known.filter((record) => record.cluster === cluster);
  const uid = ofCluster.find(({ kind }) => kind === 'identity')?.value;
  if (typeof uid !== 'string') return null;
  const named = ofCluster.find(({ kind, key }) => kind === 'identity-namespace' && key === uid)?.value;
  return { uid, namespace: typeof named === 'string' ? named : KUBE_SYSTEM };
}

/** The records of all clusters' identities. */
export async function readIdentities(kafka: KafkaConnection): Promise<LiveRecord[]> {
  const records = new Map<string, LiveRecord>();
  await scanLiveTopic(kafka, (record, key) => {
    if (record.kind === 'identity' || record.kind === 'identity-namespace') records.set(key, record);
  });
  return [...records.values()];
}

/**
 * The present uid of the namespace in the cluster. @throws KubernetesApiError if the namespace does not exist or may
 * not be read.
 */
export async function namespaceUid(
  client: KubernetesClient,
  namespace: string,
  signal: AbortSignal,
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}`;
  const { metadata } = await client.request<{ metadata: { uid: string } }>({ method: 'GET', path, signal });
  return metadata.uid;
}

/** The text of the error that the name of a cluster in the ledger means another cluster. */
export function anotherClusterText(cluster: string, recorded: string, uid: string): string {
  return `in the ledger, "${cluster}" is the cluster ${recorded}, but this one is ${uid}`;
}
