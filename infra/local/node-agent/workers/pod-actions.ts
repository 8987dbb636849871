import { KubernetesApiError, errorMessage } from '../../../../services/adapters/errors.ts';
import { ConfigError } from '../container/cluster-objects.ts';
import type { PodPlan } from '../pod/plan.ts';
import type { AgentPod } from '../pod/pod.ts';
import { lastAttempt, type PodRecord } from '../pod/pod-record.ts';
import { stopCause } from '../pod/stop-cause.ts';
import type { AttemptFiles } from '../process/attempt-directory.ts';
import type { Containers, Ended } from '../process/containers.ts';

/** The delay before a container that could not be created is tried again. */
const CONFIG_RETRY_MS = 2000;

/** Records that the pod is stopping, once. Returns true when this call recorded it. */
export function beginStop(pod: AgentPod, record: PodRecord, now: number): boolean {
  if (record.stopping !== undefined) return false;
  const cause = stopCause(pod, record, now);
  if (cause === undefined) return false;
  record.stopping = { since: now, cause };
  return true;
}

/** Sends the signals that the plan lists. */
export function signalProcesses(
  plan: PodPlan,
  record: PodRecord,
  containers: Containers,
  attemptFiles: (container: string, number: number) => AttemptFiles,
): void {
  for (const name of [...plan.terminate, ...plan.kill]) {
    const attempt = lastAttempt(record, name);
    if (attempt === undefined) continue;
    attempt.terminating = true;
    const files = attemptFiles(name, attempt.number);
    if (plan.kill.includes(name)) containers.kill(files);
    else containers.terminate(files);
  }
}

/** Starts the planned containers. A container that cannot be created yet is recorded as waiting, with the reason for its status. */
export async function startContainers(
  plan: PodPlan,
  pod: AgentPod,
  record: PodRecord,
  containers: Containers,
  ended: Ended,
): Promise<void> {
  for (const { container, ...at } of plan.start) {
    try {
      const attempt = await containers.start(pod, container, at, ended);
      record.attempts[container.name] = [...(record.attempts[container.name] ?? []).slice(-1), attempt];
      delete record.waiting[container.name];
    } catch (error) {
      record.waiting[container.name] = { ...waitingReason(error), retryAt: Date.now() + CONFIG_RETRY_MS };
    }
  }
}

function waitingReason(error: unknown): { reason: string; message: string } {
  const isConfig = error instanceof ConfigError || error instanceof KubernetesApiError;
  return {
    reason: isConfig ? 'CreateContainerConfigError' : 'CreateContainerError',
    message: errorMessage(error),
  };
}
