import type { Log } from '../../../../services/adapters/process/log.ts';
import type { AgentPod } from '../pod/pod.ts';
import type { BackOffSettings } from '../pod/restart.ts';
import { createPodWorker, type PodWorker } from './pod-worker.ts';
import type { Containers } from '../process/containers.ts';
import { livingWrapper } from '../process/exit-record.ts';
import type { Memory } from '../process/memory.ts';
import { killAttempt } from '../process/signals.ts';
import { createStatusWriter, type PodApi } from './status-writer.ts';

/** The workers of the pods bound to this node. */
export interface Pods {
  /** Accepts a complete list of pods. Pods that the list does not contain are treated as deleted. */
  listed(pods: readonly AgentPod[]): void;
  observed(pod: AgentPod): void;
  removed(pod: AgentPod): void;
  find(namespace: string, name: string): PodWorker | undefined;
  close(): void;
}

export function createPods(given: {
  containers: Containers;
  memory: Memory;
  api: PodApi;
  settings: BackOffSettings;
  log: Log;
}): Pods {
  const { memory } = given;
  const workers = new Map<string, PodWorker>();

  const forget = (uid: string): void => {
    workers.get(uid)?.close();
    workers.delete(uid);
    memory.forget(uid);
  };
  const observed = (pod: AgentPod): void => {
    const { uid, name } = pod.metadata;
    const known = workers.get(uid);
    if (known !== undefined) return known.update(pod);
    const worker = createPodWorker(pod, {
      ...given,
      status: (written) => createStatusWriter({ ...given, pod: name, written }),
      gone: () => forget(uid),
    });
    workers.set(uid, worker);
  };

  return {
    observed,
    removed(pod) {
      const worker = workers.get(pod.metadata.uid);
      worker?.update(pod);
      worker?.remove();
    },
    listed(pods) {
      const present = new Set(pods.map((pod) => pod.metadata.uid));
      for (const [uid, worker] of workers) if (!present.has(uid)) worker.remove();
      for (const uid of memory.uids()) if (!present.has(uid) && !workers.has(uid)) clearOrphan(memory, uid);
      pods.forEach(observed);
    },
    find: (namespace, name) =>
      [...workers.values()].findLast(
        (one) => one.pod.metadata.name === name && one.pod.metadata.namespace === namespace,
      ),
    close() {
      for (const worker of workers.values()) worker.close();
    },
  };
}

/** Kills the containers of a pod that was deleted while no agent ran, and deletes its directory. No grace period applies, because the object is gone. */
function clearOrphan(memory: Memory, uid: string): void {
  for (const files of memory.listAttempts(uid)) killAttempt(files, livingWrapper(files));
  memory.forget(uid);
}
