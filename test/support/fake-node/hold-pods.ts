import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { createTurns } from '../../../services/adapters/waiting/turns.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { ignoreOver, REQUESTS_AT_ONCE, reportStatus, running, untilAnswered } from './pod-status.ts';
import { watchPods } from './watch-pods.ts';

/** Reports every pod of a node as ready, and ends it when it is deleted, until `signal` is aborted. */
export function holdPods(client: KubernetesClient, node: string, signal: AbortSignal): Promise<void> {
  const query = `fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`;
  const inTurn = createTurns(REQUESTS_AT_ONCE);
  const reported = new Set<string>();
  const ended = new Set<string>();
  return watchPods(client, query, signal, (pod, change) => {
    const { uid, deletionTimestamp } = pod.metadata;
    if (change === 'DELETED') {
      for (const seen of [reported, ended]) seen.delete(uid);
      return;
    }
    const [done, act] =
      deletionTimestamp === undefined
        ? ([reported, () => reportStatus(client, pod, running(pod))] as const)
        : ([ended, () => finishDeletion(client, pod)] as const);
    if (done.has(uid)) return;
    done.add(uid);
    void inTurn(() => untilAnswered(act, signal)).catch(ignoreOver);
  });
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
