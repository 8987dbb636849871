import type { AgentContainerStatus, Phase, AgentPod } from './pod.ts';
import { isSidecar } from './pod.ts';

interface Counts {
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
}

/**
 * The pod's phase from its containers' statuses, like the kubelet's `getPhase`.
 * `initialized`: all init containers have completed once. `finished`: no container is running.
 */
export function podPhase(
  pod: AgentPod,
  status: { init: readonly AgentContainerStatus[]; regular: readonly AgentContainerStatus[] },
  at: { initialized: boolean; initFailed: boolean; finished: boolean },
): Phase {
  if (at.initFailed) return 'Failed';
  if (!at.initialized) return at.finished ? 'Failed' : 'Pending';
  const counts = countContainers(pod, status);
  if (counts.waiting > 0) return 'Pending';
  if (counts.running > 0) return 'Running';
  return at.finished ? phaseOfEndedPod(counts) : phaseBetweenRestarts(pod, counts);
}

/** Counts the containers by state. A sidecar counts only while it runs; its end does not affect the phase. */
function countContainers(
  pod: AgentPod,
  status: { init: readonly AgentContainerStatus[]; regular: readonly AgentContainerStatus[] },
): Counts {
  const counts: Counts = { running: 0, waiting: 0, stopped: 0, succeeded: 0 };
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).filter(isSidecar).map((container) => container.name),
  );
  for (const { name, state } of status.init)
    if (sidecars.has(name) && state.running !== undefined) counts.running += 1;
  for (const { state, lastState } of status.regular) {
    if (state.running !== undefined) counts.running += 1;
    else if (state.terminated !== undefined || lastState.terminated !== undefined) counts.stopped += 1;
    else counts.waiting += 1;
    if (state.terminated?.exitCode === 0) counts.succeeded += 1;
  }
  return counts;
}

/** The phase when all containers have ended and none is restarted. */
function phaseOfEndedPod(counts: Counts): Phase {
  return counts.stopped === counts.succeeded ? 'Succeeded' : 'Failed';
}

/** The phase when no container runs but the restart policy may restart some. */
function phaseBetweenRestarts(pod: AgentPod, counts: Counts): Phase {
  const policy = pod.spec.restartPolicy ?? 'Always';
  if (policy === 'Always') return 'Running';
  if (counts.stopped === counts.succeeded) return 'Succeeded';
  return policy === 'Never' ? 'Failed' : 'Running';
}
