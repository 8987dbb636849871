import type { AgentContainerStatus, Phase, AgentPod, PodCondition } from './pod.ts';
import { isSidecar } from './pod.ts';
import { toInstant } from './instant.ts';

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

const TRUE: Verdict = { status: 'True' };

/** The pod conditions that a kubelet owns. An unchanged condition keeps its transition time. */
export function podConditions(
  pod: AgentPod,
  status: {
    phase: Phase;
    initialized: boolean;
    init: readonly AgentContainerStatus[];
    regular: readonly AgentContainerStatus[];
  },
  now: number,
): PodCondition[] {
  const ended = status.phase === 'Succeeded' || status.phase === 'Failed';
  const ready = readinessVerdict(pod, status);
  const verdicts: Record<string, Verdict> = {
    PodReadyToStartContainers: { status: ended ? 'False' : 'True' },
    Initialized: initializationVerdict(pod, status),
    Ready: ready,
    ContainersReady: ready,
    PodScheduled: TRUE,
  };
  return Object.entries(verdicts).map(([type, verdict]) => podCondition(pod, type, verdict, now));
}

function initializationVerdict(
  pod: AgentPod,
  status: { phase: Phase; initialized: boolean; init: readonly AgentContainerStatus[] },
): Verdict {
  if (status.initialized)
    return status.phase === 'Succeeded' ? { status: 'True', reason: 'PodCompleted' } : TRUE;
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).filter(isSidecar).map((container) => container.name),
  );
  const open = status.init.filter((one) => (sidecars.has(one.name) ? one.started !== true : !one.ready));
  const names = open.map((one) => one.name).join(' ');
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${names}]`,
  };
}

function readinessVerdict(
  pod: AgentPod,
  status: { phase: Phase; init: readonly AgentContainerStatus[]; regular: readonly AgentContainerStatus[] },
): Verdict {
  if (status.phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (status.phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).filter(isSidecar).map((container) => container.name),
  );
  const needed = [...status.init.filter((one) => sidecars.has(one.name)), ...status.regular];
  const unready = needed.filter((one) => !one.ready).map((one) => one.name);
  if (unready.length === 0) return TRUE;
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
}

function podCondition(pod: AgentPod, type: string, verdict: Verdict, now: number): PodCondition {
  const before = pod.status?.conditions?.find((one) => one.type === type);
  const unchanged = before?.status === verdict.status;
  return {
    type,
    ...verdict,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    lastTransitionTime:
      unchanged && before.lastTransitionTime !== undefined ? before.lastTransitionTime : toInstant(now),
  };
}
