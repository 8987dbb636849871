import type { AgentContainer, AgentPod } from './pod.ts';
import { containersOf, isSidecar } from './pod.ts';
import { isAttemptRunning, lastAttempt, type PodRecord } from './pod-record.ts';
import { restarts } from './restart.ts';

/** All init containers have done their part: the regular ones succeeded, the sidecars started. */
export function isInitialized(pod: AgentPod, record: PodRecord): boolean {
  return (pod.spec.initContainers ?? []).every((container) => isInitDone(record, container));
}

/** A sidecar that once ran counts as started, so that its restart does not send the pod back. */
export function isInitDone(record: PodRecord, container: AgentContainer): boolean {
  const attempts = record.attempts[container.name] ?? [];
  if (!isSidecar(container)) return attempts.at(-1)?.end?.exitCode === 0;
  return attempts.some((attempt) => attempt.end === undefined || attempt.end.startedAt !== undefined);
}

/** The container ended and will not run again. */
export function isDone(
  pod: AgentPod,
  record: PodRecord,
  container: AgentContainer,
  isInit: boolean,
): boolean {
  const end = lastAttempt(record, container.name)?.end;
  return end !== undefined && !restarts(pod, container, isInit, end.exitCode);
}

/** An init container failed for good, so the pod never gets further. */
export function initFailed(pod: AgentPod, record: PodRecord): boolean {
  return (pod.spec.initContainers ?? []).some(
    (container) =>
      isDone(pod, record, container, true) && lastAttempt(record, container.name)?.end?.exitCode !== 0,
  );
}

/** Nothing that counts is left to run; sidecars may still live. */
export function isCompleted(pod: AgentPod, record: PodRecord): boolean {
  return (
    initFailed(pod, record) || pod.spec.containers.every((container) => isDone(pod, record, container, false))
  );
}

/** The containers that are to end have all ended. */
export function isPodFinished(pod: AgentPod, record: PodRecord): boolean {
  return (
    record.stopping !== undefined &&
    containersOf(pod).every((container) => !isAttemptRunning(record, container.name))
  );
}
