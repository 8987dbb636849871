import type { AgentPod } from './pod.ts';
import type { PodRecord, StopCause } from './pod-record.ts';
import { isCompleted } from './progress.ts';

/** The first reason that applies for stopping the containers now; undefined without a reason. */
export function stopCause(pod: AgentPod, record: PodRecord, now: number): StopCause | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return 'deleted';
  if (now >= podDeadline(pod, record)) return 'deadline';
  // Another component (the pod garbage collector, an eviction) has ended the pod in the API.
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return 'terminal';
  return isCompleted(pod, record) ? 'completed' : undefined;
}

/** The expiry of the pod's own `activeDeadlineSeconds` (milliseconds since 1970); Infinity without a deadline. */
export function podDeadline(pod: AgentPod, record: PodRecord): number {
  const seconds = pod.spec.activeDeadlineSeconds;
  return seconds === undefined ? Infinity : record.startTime + Number(seconds) * 1000;
}

/** Milliseconds between SIGTERM and SIGKILL; at least one second, as in a kubelet. */
export function graceMs(pod: AgentPod): number {
  const seconds = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  // An int64 in the API, which may exceed the range of exact numbers.
  return Math.max(1, Number(seconds)) * 1000;
}
