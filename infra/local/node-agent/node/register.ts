import { isAbsent, KubernetesApiError, errorMessage } from '../../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import type { Log } from '../../../../services/adapters/process/log.ts';
import { toInstant } from '../pod/instant.ts';
import { nodeObject, nodeStatus, NOT_READY_TAINT, type NodeObject } from './node-object.ts';

export interface NodeAt {
  name: string;
  address: string;
  /** The port of the log endpoint; absent when the endpoint is off. */
  port?: number;
}

/** Creates the Node if it is missing, sets it Ready, removes its not-ready taint, and returns it. */
export async function registerNode(client: KubernetesClient, at: NodeAt, log: Log): Promise<NodeObject> {
  const node = (await getNode(client, at.name)) ?? (await createNode(client, at.name));
  const ready = await writeNodeStatus(client, at, node);
  return removeNotReadyTaint(client, ready, log);
}

export async function writeNodeStatus(
  client: KubernetesClient,
  at: NodeAt,
  held: NodeObject,
): Promise<NodeObject> {
  const { gitVersion } = await client.request<{ gitVersion: string }>({ method: 'GET', path: '/version' });
  return client.request<NodeObject>({
    method: 'PATCH',
    path: `/api/v1/nodes/${at.name}/status`,
    contentType: 'application/strategic-merge-patch+json',
    body: { status: nodeStatus({ ...at, kubernetes: gitVersion }, held, toInstant(Date.now())) },
  });
}

async function getNode(client: KubernetesClient, name: string): Promise<NodeObject | undefined> {
  try {
    return await client.request<NodeObject>({ method: 'GET', path: `/api/v1/nodes/${name}` });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function createNode(client: KubernetesClient, name: string): Promise<NodeObject> {
  return client.request<NodeObject>({ method: 'POST', path: '/api/v1/nodes', body: nodeObject(name) });
}

/**
 * Admission taints each new Node until the node life cycle controller sees it ready. The life cycle controller may not run
 * here, and a node that runs only processes is ready at once.
 */
async function removeNotReadyTaint(
  client: KubernetesClient,
  node: NodeObject,
  log: Log,
): Promise<NodeObject> {
  const taints = node.spec?.taints ?? [];
  const left = taints.filter((taint) => taint.key !== NOT_READY_TAINT);
  if (left.length === taints.length) return node;
  try {
    return await client.request<NodeObject>({
      method: 'PATCH',
      path: `/api/v1/nodes/${node.metadata.name}`,
      contentType: 'application/merge-patch+json',
      // The patch has the resourceVersion, so that a concurrently added taint is not lost.
      body: { metadata: { resourceVersion: node.metadata.resourceVersion }, spec: { taints: left } },
    });
  } catch (error) {
    if (!(error instanceof KubernetesApiError)) throw error;
    log.warn(
      { error: errorMessage(error) },
      'the not-ready taint stays until the node life cycle controller removes it',
    );
    return node;
  }
}
