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
  succeeded,
  untilAnswered,
} from './pod-status.ts';

/** Reports every pod of a node as ready, and right after as succeeded, until `signal` is aborted. */
export async function answerPods(client: KubernetesClient, node: string, signal: AbortSignal): Promise<void> {
  // A pod leaves this selection with its first answer, so each is read once.
  const query = `fieldSelector=${encodeURIComponent(`spec.nodeName=${node},status.phase=Pending`)}`;
  const pool = createPool(REQUESTS_AT_ONCE);
  /** When a watch ends, the next list holds pods that still wait for their answer. */
  const waiting = new Set<string>();
  const answer = (pod: Pod): void => {
    const { uid } = pod.metadata;
    if (waiting.has(uid)) return;
    waiting.add(uid);
    void pool(() => answerPod(client, pod)).finally(() => waiting.delete(uid));
  };
  while (!signal.aborted) {
    const { items, metadata } = await list<Pod>(client, PODS, query, signal);
    items.forEach(answer);
    const from = { resourceVersion: metadata.resourceVersion, query, signal };
    const times = { timeoutSeconds: HOUR_SECONDS, idleMs: HOUR_SECONDS * 1000 };
    for await (const event of watch<Pod>(client, PODS, { ...from, ...times }))
      if (event.type === 'ADDED') answer(event.object);
  }
}

async function answerPod(client: KubernetesClient, pod: Pod): Promise<void> {
  for (const status of [running(pod), succeeded(pod)])
    await untilAnswered(() => reportStatus(client, pod, status)).catch(ignoreOver);
}
