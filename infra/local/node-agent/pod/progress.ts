import type { AgentContainer, AgentPod } from './pod.ts';
import { allContainers, isSidecar } from './pod.ts';
import { isAttemptRunning, lastAttempt, type PodRecord } from './pod-record.ts';
import { isRestarted } from './restart.ts';

/** True when every init container has succeeded and every sidecar has started. */
export function isInitialized(pod: AgentPod, record: PodRecord): boolean {
  return (pod.spec.initContainers ?? []).every((container) => isInitDone(record, container));
}

/**
 * True when an init container has succeeded or a sidecar has ever started, so that a sidecar's restart does not undo
 * the initialization.
 */
export function isInitDone(record: PodRecord, container: AgentContainer): boolean {
  const attempts = record.attempts[container.name] ?? [];
  if (!isSidecar(container)) return attempts.at(-1)?.end?.exitCode === 0;
  return attempts.some((attempt) => attempt.end === undefined || attempt.end.startedAt !== undefined);
}

/** True when the container has ended and will not be restarted. */
export function isDone(
  pod: AgentPod,
  record: PodRecord,
  container: AgentContainer,
  isInit: boolean,
): boolean {
  const end = lastAttempt(record, container.name)?.end;
  return end !== undefined && !isRestarted(pod, container, isInit, end.exitCode);
}

/** True when an init container has failed and will not be restarted, which fails the pod. */
export function hasInitFailed(pod: AgentPod, record: PodRecord): boolean {
  return (pod.spec.initContainers ?? []).some(
    (container) =>
      isDone(pod, record, container, true) && lastAttempt(record, container.name)?.end?.exitCode !== 0,
  );
}

/**
 * True when the pod's work has ended: all regular containers are done, or an init container has failed. Sidecars may
 * still run.
 */
export function isCompleted(pod: AgentPod, record: PodRecord): boolean {
  return (
    hasInitFailed(pod, record) ||
    pod.spec.containers.every((container) => isDone(pod, record, container, false))
  );
}

/** True when the pod is stopping and no container is running. */
export function isPodFinished(pod: AgentPod, record: PodRecord): boolean {
  return (
    record.stopping !== undefined &&
    allContainers(pod).every((container) => !isAttemptRunning(record, container.name))
  );
}
