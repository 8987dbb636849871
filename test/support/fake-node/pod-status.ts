import { isRetryable, KubernetesApiError } from '../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { retry } from '../../../services/adapters/waiting/retry.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';

export const REQUESTS_AT_ONCE = 50;

export function reportStatus(client: KubernetesClient, { metadata }: Pod, status: unknown): Promise<unknown> {
  return client.request({
    method: 'PATCH',
    path: `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`,
    body: { status },
    contentType: 'application/merge-patch+json',
  });
}

/** Repeats a request that a busy API server did not carry out, or did not answer. */
export function untilAnswered<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return retry(request, { signal, shouldRetry: isRetryable });
}

/** For a pod that is gone, or that was answered while it was being listed. */
export function ignoreOver(error: unknown): void {
  const isOver =
    error instanceof KubernetesApiError &&
    (error.status === 404 || error.exactText.includes('may not be transitioned to non-terminated state'));
  if (!isOver) throw error;
}

export function running({ spec }: Pod): unknown {
  const startedAt = new Date().toISOString();
  return {
    phase: 'Running',
    startTime: startedAt,
    conditions: readiness('True', startedAt),
    containerStatuses: spec.containers.map(({ name }) => container(name, true, { running: { startedAt } })),
  };
}

export function succeeded({ spec }: Pod): unknown {
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
