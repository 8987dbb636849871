import type {
  AgentContainer,
  AgentContainerState,
  AgentContainerStatus,
  AgentPod,
  Terminated,
  Waiting,
} from './pod.ts';
import { formatPod, isSidecar } from './pod.ts';
import { lastAttempt, UNKNOWN_EXIT_CODE, type ContainerAttempt, type PodRecord } from './pod-record.ts';
import { toInstant } from './instant.ts';

/** The agent reports this text in place of an image digest, because it has no images. */
const IMAGE_ID = 'jobledger.dev/host-process';

/** The status of one container as a kubelet reports it. `backingOffMs` is set while the container is in back-off. */
export function containerStatus(
  pod: AgentPod,
  record: PodRecord,
  container: AgentContainer,
  backingOffMs?: number,
): AgentContainerStatus {
  const last = lastAttempt(record, container.name);
  const waiting = waitingState(pod, record, container, backingOffMs);
  const before = waiting === undefined ? record.attempts[container.name]?.at(-2) : last;
  const running = waiting === undefined && last?.end === undefined;
  return {
    name: container.name,
    state: waiting === undefined ? attemptState(last) : { waiting },
    lastState: before?.end === undefined ? {} : attemptState(before),
    ready: isReady(pod, container, last, running),
    started: running,
    restartCount: last?.number ?? 0,
    image: container.image ?? '',
    imageID: last === undefined ? '' : IMAGE_ID,
    ...(last === undefined ? {} : { containerID: last.id }),
  };
}

function waitingState(
  pod: AgentPod,
  record: PodRecord,
  container: AgentContainer,
  backingOffMs?: number,
): Waiting | undefined {
  const blocked = record.waiting[container.name];
  if (blocked !== undefined) return reasonAndMessage(blocked);
  if (backingOffMs !== undefined) {
    const delay = `${backingOffMs / 1000}s`;
    const message = `back-off ${delay} restarting failed container=${container.name} pod=${formatPod(pod)}`;
    return { reason: 'CrashLoopBackOff', message };
  }
  if (lastAttempt(record, container.name) !== undefined) return undefined;
  return { reason: (pod.spec.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating' };
}

function reasonAndMessage(waiting: Waiting): Waiting {
  return waiting.message === undefined
    ? { reason: waiting.reason }
    : { reason: waiting.reason, message: waiting.message };
}

function attemptState(attempt: ContainerAttempt | undefined): AgentContainerState {
  if (attempt === undefined) return {};
  return attempt.end === undefined
    ? { running: { startedAt: toInstant(attempt.startedAt) } }
    : { terminated: terminatedState(attempt, attempt.end) };
}

function terminatedState(attempt: ContainerAttempt, end: NonNullable<ContainerAttempt['end']>): Terminated {
  return {
    exitCode: end.exitCode,
    reason: end.reason,
    ...(end.message === undefined ? {} : { message: end.message }),
    // A container that never started reports the Unix epoch, as containerd does.
    startedAt: toInstant(end.startedAt === undefined ? 0 : attempt.startedAt),
    finishedAt: toInstant(end.finishedAt ?? 0),
    containerID: attempt.id,
  };
}

/** A succeeded init container is ready, and so is a running sidecar or regular container, because no probes run here. */
function isReady(
  pod: AgentPod,
  container: AgentContainer,
  last: ContainerAttempt | undefined,
  running: boolean,
): boolean {
  const isInit = (pod.spec.initContainers ?? []).includes(container);
  return isInit && !isSidecar(container) ? last?.end?.exitCode === 0 : running;
}

/** The status that a kubelet writes for a container without a known end, once its pod has ended. */
export function withUnknownEnd(status: AgentContainerStatus): AgentContainerStatus {
  if (status.state.terminated !== undefined) return status;
  const terminated: Terminated = {
    exitCode: UNKNOWN_EXIT_CODE,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
  };
  return { ...status, state: { terminated }, ready: false, started: false };
}
