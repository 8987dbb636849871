import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { list, watch } from '../../../services/adapters/kubernetes/watch.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';

const PODS = '/api/v1/pods';
const HOUR_SECONDS = 3600;

type Change = 'LISTED' | 'ADDED' | 'MODIFIED' | 'DELETED';

/** Calls `onPod` for every pod that `query` selects, and for each of its changes, until `signal` is aborted. */
export async function watchPods(
  client: KubernetesClient,
  query: string,
  signal: AbortSignal,
  onPod: (pod: Pod, change: Change) => void,
): Promise<void> {
  while (!signal.aborted) {
    const { items, metadata } = await list<Pod>(client, PODS, query, signal);
    for (const pod of items) onPod(pod, 'LISTED');
    const from = { resourceVersion: metadata.resourceVersion, query, signal };
    const times = { timeoutSeconds: HOUR_SECONDS, idleMs: HOUR_SECONDS * 1000 };
    for await (const event of watch<Pod>(client, PODS, { ...from, ...times }))
      if ('object' in event) onPod(event.object, event.type);
  }
}
