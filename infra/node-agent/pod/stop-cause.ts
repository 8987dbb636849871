import type { AgentPod } from './pod.ts';
import type { PodRecord, StopCause } from './pod-record.ts';
import { isCompleted } from './progress.ts';

/** The first reason found for the containers to end now, or none. */
export function stopCause(pod: AgentPod, record: PodRecord, now: number): StopCause | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return 'deleted';
  if (now >= podDeadline(pod, record)) return 'deadline';
  // Somebody else (the pod garbage collector, an eviction) ended the pod in the API.
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return 'terminal';
  return isCompleted(pod, record) ? 'completed' : undefined;
}

/** The instant of the pod's own `activeDeadlineSeconds`. */
export function podDeadline(pod: AgentPod, record: PodRecord): number {
  const seconds = pod.spec.activeDeadlineSeconds;
  return seconds === undefined ? Infinity : record.startTime + Number(seconds) * 1000;
}

/** Milliseconds between SIGTERM and SIGKILL. A kubelet waits a second at least. */
export function graceMs(pod: AgentPod): number {
  const seconds = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  // The API's int64, which may be more than a number holds exactly.
  return Math.max(1, Number(seconds)) * 1000;
}
