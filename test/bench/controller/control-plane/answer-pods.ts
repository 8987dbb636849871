import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import { list, watch } from '../../../../services/adapters/kubernetes/watch.ts';
import type { Pod } from '../../../../workflows/kubernetes/objects.ts';
import { createPool } from '../load/pool.ts';

/** The node that all pods of the benchmark name in their template, so that no scheduler is measured. */
export const NODE_NAME = 'bench';

const PODS = '/api/v1/pods';
/** A pod leaves this selection with its first answer, so each is read once. */
const QUERY = `fieldSelector=${encodeURIComponent(`spec.nodeName=${NODE_NAME},status.phase=Pending`)}`;
const REQUESTS_AT_ONCE = 50;
const HOUR_SECONDS = 3600;

/** Reports every pod of the node as ready, and right after as succeeded, until `signal` is aborted. */
export async function answerPods(client: KubernetesClient, signal: AbortSignal): Promise<void> {
  const pool = createPool(REQUESTS_AT_ONCE);
  const answer = (pod: Pod): void => void pool(() => answerPod(client, pod));
  while (!signal.aborted) {
    const { items, metadata } = await list<Pod>(client, PODS, QUERY, signal);
    items.forEach(answer);
    const from = { resourceVersion: metadata.resourceVersion, query: QUERY, signal };
    const events = watch<Pod>(client, PODS, {
      ...from,
      timeoutSeconds: HOUR_SECONDS,
      idleMs: HOUR_SECONDS * 1000,
    });
    for await (const event of events) if (event.type === 'ADDED') answer(event.object);
  }
}

async function answerPod(client: KubernetesClient, pod: Pod): Promise<void> {
  const { namespace, name } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
  for (const status of [running(pod), succeeded(pod)])
    await client.request({
      method: 'PATCH',
      path,
      body: { status },
      contentType: 'application/merge-patch+json',
    });
}

function running({ spec }: Pod): unknown {
  const startedAt = new Date().toISOString();
  return {
    phase: 'Running',
    startTime: startedAt,
    conditions: readiness('True', startedAt),
    containerStatuses: spec.containers.map(({ name }) => container(name, true, { running: { startedAt } })),
  };
}

function succeeded({ spec }: Pod): unknown {
  const finishedAt = new Date().toISOString();
  const state = { terminated: { exitCode: 0, reason: 'Completed', startedAt: finishedAt, finishedAt } };
  return {
    phase: 'Succeeded',
    conditions: readiness('False', finishedAt),
    containerStatuses: spec.containers.map(({ name }) => container(name, false, state)),
  };
}

function readiness(status: 'True' | 'False', lastTransitionTime: string): unknown[] {
  return ['Ready', 'ContainersReady'].map((type) => ({ type, status, lastTransitionTime }));
}

function container(name: string, ready: boolean, state: unknown): unknown {
  return { name, image: 'none', imageID: '', ready, restartCount: 0, state };
}
