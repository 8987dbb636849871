import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { KubernetesApiError, messageOf } from '../../services/adapters/errors.ts';
import type { Log } from '../../services/adapters/log.ts';
import { createLoop } from './loop.ts';
import type { AgentPod, PodStatus } from './pod/pod.ts';
import { statusPatch, type StatusPatch } from './pod/status-patch.ts';

/** The API's side of a pod: what a fake stands in for in tests. Both resolve to undefined when the pod is gone. */
export interface PodApi {
  patchStatus(pod: AgentPod, patch: StatusPatch): Promise<AgentPod | undefined>;
  /** The kubelet's last word: the containers are stopped, the object may go. */
  deleteNow(pod: AgentPod): Promise<void>;
}

export interface StatusWriter {
  /** Has the API hold this status (if one is given), and then, with `remove`, lets the object go. The latest offer counts. */
  offer(pod: AgentPod, status: PodStatus | undefined, remove: boolean): void;
  close(): void;
}

/**
 * Writes the status of one pod, one request at a time, until the API took it or the pod is gone.
 * `written` gets each answer of the API: the pod as it then is.
 */
export function createStatusWriter(given: {
  api: PodApi;
  /** For the log. */
  pod: string;
  log: Log;
  written: (pod: AgentPod) => void;
}): StatusWriter {
  let wanted: { pod: AgentPod; status: PodStatus | undefined; remove: boolean } | undefined;
  let held: PodStatus | undefined;
  let removed = false;

  const write = async (): Promise<void> => {
    if (wanted === undefined) return;
    const { pod, status, remove } = wanted;
    const patch = status && statusPatch(pod, held ?? pod.status ?? {}, status);
    if (patch !== undefined) {
      const answer = await given.api.patchStatus(pod, patch);
      held = status;
      if (answer !== undefined) given.written(answer);
    }
    if (remove && !removed) await given.api.deleteNow(pod);
    removed ||= remove;
    if (wanted?.pod === pod && wanted.status === status) wanted = undefined;
  };

  const loop = createLoop(write, (error) => {
    given.log.warn({ pod: given.pod, error: messageOf(error) }, 'status not written, trying again');
  });

  return {
    offer(pod, status, remove) {
      wanted = { pod, status, remove };
      loop.wake();
    },
    close: () => loop.close(),
  };
}

export function createPodApi(client: KubernetesClient): PodApi {
  return {
    patchStatus: (pod, body) =>
      client
        .request<AgentPod>({
          method: 'PATCH',
          path: `${pathOf(pod)}/status`,
          contentType: 'application/strategic-merge-patch+json',
          body,
        })
        .catch(ignoreAbsent),
    async deleteNow(pod) {
      const body = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } };
      await client.request({ method: 'DELETE', path: pathOf(pod), body }).catch(ignoreGone);
    },
  };
}

function pathOf(pod: AgentPod): string {
  return `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
}

/** 404: the pod is gone; 409 to a DELETE: another pod has its name. Neither has anything left to do. */
function ignoreGone(error: unknown): undefined {
  if (error instanceof KubernetesApiError && (error.status === 404 || error.status === 409)) return undefined;
  throw error;
}

function ignoreAbsent(error: unknown): undefined {
  if (error instanceof KubernetesApiError && error.status === 404) return undefined;
  throw error;
}
