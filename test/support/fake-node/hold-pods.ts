import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { list, watch } from '../../../services/adapters/kubernetes/watch.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { createPool } from '../../bench/controller/load/pool.ts';
import {
  HOUR_SECONDS,
  ignoreOver,
  PODS,
  REQUESTS_AT_ONCE,
  reportStatus,
  running,
  untilAnswered,
} from './pod-status.ts';

/** Reports every pod of a node as ready, and ends it when it is deleted, until `signal` is aborted. */
export async function holdPods(client: KubernetesClient, node: string, signal: AbortSignal): Promise<void> {
  const query = `fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`;
  const pool = createPool(REQUESTS_AT_ONCE);
  const reported = new Set<string>();
  const ended = new Set<string>();
  const answer = (pod: Pod): void => {
    const { uid, deletionTimestamp } = pod.metadata;
    const [done, act] =
      deletionTimestamp === undefined
        ? ([reported, () => reportStatus(client, pod, running(pod))] as const)
        : ([ended, () => finishDeletion(client, pod)] as const);
    if (done.has(uid)) return;
    done.add(uid);
    void pool(() => untilAnswered(act)).catch(ignoreOver);
  };
  while (!signal.aborted) {
    const { items, metadata } = await list<Pod>(client, PODS, query, signal);
    items.forEach(answer);
    const from = { resourceVersion: metadata.resourceVersion, query, signal };
    const times = { timeoutSeconds: HOUR_SECONDS, idleMs: HOUR_SECONDS * 1000 };
    for await (const event of watch<Pod>(client, PODS, { ...from, ...times })) {
      if (event.type === 'BOOKMARK') continue;
      if (event.type !== 'DELETED') answer(event.object);
      else for (const seen of [reported, ended]) seen.delete(event.object.metadata.uid);
    }
  }
}

/** The kubelet's last step: the object goes once its finalizers are removed. */
function finishDeletion(client: KubernetesClient, { metadata }: Pod): Promise<unknown> {
  const { namespace, name, uid } = metadata;
  return client.request({
    method: 'DELETE',
    path: `/api/v1/namespaces/${namespace}/pods/${name}`,
    body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0, preconditions: { uid } },
  });
}
