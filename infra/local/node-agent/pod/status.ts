import type { AgentContainerStatus, Phase, AgentPod, PodStatus } from './pod.ts';
import type { PodRecord } from './pod-record.ts';
import { withUnknownEnd, containerStatus } from './container-status.ts';
import { podConditions } from './conditions.ts';
import { hasInitFailed, isPodFinished, isInitialized } from './progress.ts';
import { podPhase } from './phase.ts';
import { toInstant } from './instant.ts';

/** Pods have no separate networks and share the host's loopback. */
export const POD_IP = '127.0.0.1';

/** The status of a pod as a kubelet writes it. `backingOff` maps the containers in back-off to their delay in milliseconds. */
export function podStatus(
  pod: AgentPod,
  record: PodRecord,
  backingOff: Record<string, number>,
  now: number,
): PodStatus {
  const finished = isPodFinished(pod, record);
  const initialized = isInitialized(pod, record);
  const containerStatuses = (containers: PodSpecContainers): AgentContainerStatus[] =>
    (containers ?? []).map((container) =>
      containerStatus(pod, record, container, backingOff[container.name]),
    );
  const seen = {
    init: containerStatuses(pod.spec.initContainers),
    regular: containerStatuses(pod.spec.containers),
  };
  const status =
    finished && record.stopping?.cause !== 'completed' ? withUnknownEnds(seen, initialized) : seen;
  const end = statusOfEnd(pod, record, finished);
  const phase =
    end?.phase ??
    phaseWhileRunning(
      pod,
      record,
      podPhase(pod, status, { initialized, initFailed: hasInitFailed(pod, record), finished }),
    );
  return {
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase,
    ...(end?.reason === undefined ? {} : { reason: end.reason }),
    ...(end?.message === undefined ? {} : { message: end.message }),
    conditions: podConditions(pod, { phase, initialized, ...status }, now),
    hostIP: POD_IP,
    hostIPs: [{ ip: POD_IP }],
    podIP: POD_IP,
    podIPs: [{ ip: POD_IP }],
    startTime: toInstant(record.startTime),
    ...(status.init.length === 0 ? {} : { initContainerStatuses: status.init }),
    containerStatuses: status.regular,
  };
}

type PodSpecContainers = AgentPod['spec']['initContainers'];

/** Keeps the reported phase until no container is running; only then is the pod reported as ended. */
function phaseWhileRunning(pod: AgentPod, record: PodRecord, phase: Phase): Phase {
  const ended = phase === 'Succeeded' || phase === 'Failed';
  if (!ended || isPodFinished(pod, record)) return phase;
  return pod.status?.phase ?? 'Pending';
}

function statusOfEnd(
  pod: AgentPod,
  record: PodRecord,
  finished: boolean,
): Pick<PodStatus, 'phase' | 'reason' | 'message'> | undefined {
  if (!finished) return undefined;
  if (record.stopping?.cause === 'deadline') {
    const message = 'Pod was active on the node longer than the specified deadline';
    return { phase: 'Failed', reason: 'DeadlineExceeded', message };
  }
  // A terminal phase that the API already has never changes.
  const { phase, reason, message } = pod.status ?? {};
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  return {
    phase,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Gives containers without an end an end when their pod has ended; of the init containers, only up to the last one that ran. */
function withUnknownEnds(
  status: { init: AgentContainerStatus[]; regular: AgentContainerStatus[] },
  initialized: boolean,
): { init: AgentContainerStatus[]; regular: AgentContainerStatus[] } {
  const ran = status.init.findLastIndex(
    (one) => one.state.terminated !== undefined || one.lastState.terminated !== undefined,
  );
  return {
    init: status.init.map((one, index) => (index <= ran ? withUnknownEnd(one) : one)),
    regular: initialized ? status.regular.map(withUnknownEnd) : status.regular,
  };
}

/** True when the API has the end of the pod and of all its containers, so that nothing is left to report. */
export function isReportedEnded(pod: AgentPod): boolean {
  const { phase, initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const ended = phase === 'Succeeded' || phase === 'Failed';
  return (
    ended && [...initContainerStatuses, ...containerStatuses].every((one) => one.state.running === undefined)
  );
}
