import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { createTurns } from '../../../services/adapters/waiting/turns.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import {
  ignoreOver,
  REQUESTS_AT_ONCE,
  reportStatus,
  running,
  succeeded,
  untilAnswered,
} from './pod-status.ts';
import { watchPods } from './watch-pods.ts';

/** Reports every pod of a node as ready, and right after as succeeded, until `signal` is aborted. */
export function answerPods(client: KubernetesClient, node: string, signal: AbortSignal): Promise<void> {
  // A pod leaves this selection with its first answer, so each is read once.
  const query = `fieldSelector=${encodeURIComponent(`spec.nodeName=${node},status.phase=Pending`)}`;
  const inTurn = createTurns(REQUESTS_AT_ONCE);
  /** When a watch ends, the next list holds pods that still wait for their answer. */
  const waiting = new Set<string>();
  return watchPods(client, query, signal, (pod, change) => {
    const { uid } = pod.metadata;
    if (waiting.has(uid) || change === 'MODIFIED' || change === 'DELETED') return;
    waiting.add(uid);
    void inTurn(() => answerPod(client, pod, signal)).finally(() => waiting.delete(uid));
  });
}

async function answerPod(client: KubernetesClient, pod: Pod, signal: AbortSignal): Promise<void> {
  for (const status of [running(pod), succeeded(pod)])
    await untilAnswered(() => reportStatus(client, pod, status), signal).catch(ignoreOver);
}
