import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import { isAbsent, isConflict, errorMessage } from '../../../../services/adapters/errors.ts';
import type { Log } from '../../../../services/adapters/process/log.ts';
import { createLoop } from './loop.ts';
import type { AgentPod, PodStatus } from '../pod/pod.ts';
import { statusPatch, type StatusPatch } from '../pod/status-patch.ts';

/**
 * The pod requests that the agent sends; tests replace it with a fake. Both methods resolve to undefined when the pod
 * is gone.
 */
export interface PodApi {
  patchStatus(pod: AgentPod, patch: StatusPatch): Promise<AgentPod | undefined>;
  /** Deletes the object with a grace period of 0, as a kubelet does once the containers have stopped. */
  deleteNow(pod: AgentPod): Promise<void>;
}

export interface StatusWriter {
  /**
   * Writes this status, if given, and then deletes the object if `remove` is true. A later offer replaces an earlier
   * offer.
   */
  offer(pod: AgentPod, status: PodStatus | undefined, remove: boolean): void;
  close(): void;
}

/**
 * Writes the status of one pod, one request at a time, until the API has accepted it or the pod is gone.
 * `written` gets the pod from each response.
 */
export function createStatusWriter(given: {
  api: PodApi;
  /** The pod's name, for the log. */
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
      const patched = await given.api.patchStatus(pod, patch);
      held = status;
      if (patched !== undefined) given.written(patched);
    }
    if (remove && !removed) await given.api.deleteNow(pod);
    removed ||= remove;
    if (wanted?.pod === pod && wanted.status === status) wanted = undefined;
  };

  const loop = createLoop(write, (error) => {
    given.log.warn({ pod: given.pod, error: errorMessage(error) }, 'cannot write the pod status; retrying');
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
          path: `${podPath(pod)}/status`,
          contentType: 'application/strategic-merge-patch+json',
          body,
        })
        .catch(ignoreAbsent),
    async deleteNow(pod) {
      const body = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } };
      await client.request({ method: 'DELETE', path: podPath(pod), body }).catch(ignoreGone);
    },
  };
}

function podPath(pod: AgentPod): string {
  return `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
}

/**
 * Ignores the error of a missing pod, and the conflict of a DELETE when another pod has the name, because nothing is
 * left to delete.
 */
function ignoreGone(error: unknown): undefined {
  if (isAbsent(error) || isConflict(error)) return undefined;
  throw error;
}

function ignoreAbsent(error: unknown): undefined {
  if (isAbsent(error)) return undefined;
  throw error;
}
