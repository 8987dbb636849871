import { isConflict } from '../../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import { leasePath, microTimeNow } from '../../../../services/adapters/kubernetes/lease.ts';
import type { NodeObject } from './node-object.ts';

/** A node whose Lease is not renewed for this long counts as dead. */
const LEASE_SECONDS = 40;

const NAMESPACE = 'kube-node-lease';

/** Creates the Lease of a node, which is deleted with the node. An existing Lease is kept. */
export async function createLease(
  client: KubernetesClient,
  { metadata: { name, uid } }: NodeObject,
): Promise<void> {
  const body = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
  };
  try {
    await client.request({ method: 'POST', path: leasePath(NAMESPACE), body });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

/**
 * Renews the Lease of a node, which is the node's heartbeat. @throws an error that `isAbsent` accepts when the Lease
 * does not exist.
 */
export async function renewLease(client: KubernetesClient, name: string): Promise<void> {
  await client.request({
    method: 'PATCH',
    path: leasePath(NAMESPACE, name),
    contentType: 'application/merge-patch+json',
    body: {
      spec: { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTimeNow() },
    },
  });
}
