import { KubernetesApiError } from '../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import type { NodeObject } from './node-object.ts';

/** A node whose Lease is not renewed for this long counts as dead. */
const LEASE_SECONDS = 40;

const PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

interface Lease {
  metadata: object;
  spec: { holderIdentity: string; leaseDurationSeconds: number; renewTime: string };
}

/** Creates the node's heartbeat: each call renews its Lease, and creates it when there is none. */
export function createHeartbeat(client: KubernetesClient, node: () => NodeObject): () => Promise<void> {
  let held: Lease | undefined;
  const put = async (lease: Lease): Promise<void> => {
    const path = `${PATH}/${node().metadata.name}`;
    held = await client.request<Lease>({ method: 'PUT', path, body: renewed(lease, node()) });
  };
  return async () => {
    try {
      held ??= await getOrCreate(client, node());
      await put(held);
    } catch (error) {
      // Somebody else wrote the Lease (409) or deleted it (404): the copy held here is stale.
      held = undefined;
      if (error instanceof KubernetesApiError && error.status === 409)
        return put(await getOrCreate(client, node()));
      throw error;
    }
  };
}

async function getOrCreate(client: KubernetesClient, node: NodeObject): Promise<Lease> {
  try {
    return await client.request<Lease>({ method: 'GET', path: `${PATH}/${node.metadata.name}` });
  } catch (error) {
    if (!(error instanceof KubernetesApiError) || error.status !== 404) throw error;
  }
  const { name, uid } = node.metadata;
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid };
  const body = renewed({ metadata: { name, ownerReferences: [owner] } }, node);
  return client.request<Lease>({ method: 'POST', path: PATH, body });
}

function renewed(lease: Pick<Lease, 'metadata'>, node: NodeObject): object {
  return {
    ...lease,
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    spec: {
      holderIdentity: node.metadata.name,
      leaseDurationSeconds: LEASE_SECONDS,
      // A MicroTime: six fractional digits.
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    },
  };
}
