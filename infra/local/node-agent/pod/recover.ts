import type { AgentContainerStatus, AgentPod } from './pod.ts';
import { UNKNOWN_EXIT_CODE, type ContainerAttempt, type ContainerEnd, type PodRecord } from './pod-record.ts';
import { fromInstant } from './instant.ts';

/** The end of a container whose process vanished without a record of its exit code. */
export const LOST: Pick<ContainerEnd, 'exitCode' | 'reason' | 'message'> = {
  exitCode: UNKNOWN_EXIT_CODE,
  reason: 'ContainerStatusUnknown',
  message:
    'The container could not be located when the node agent came back. The container used to be Running',
};

/**
 * The first record of a pod: what this node has stored and, for containers it has no record of, the status in the API.
 * A container that the API knows as running is not started as if it were new.
 */
export function recoverRecord(pod: AgentPod, remembered: Partial<PodRecord>, now: number): PodRecord {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const attempts: Record<string, ContainerAttempt[]> = { ...remembered.attempts };
  for (const status of statuses) {
    const reported = recoverAttempt(status, now);
    if (reported !== undefined && (attempts[status.name] ?? []).length === 0)
      attempts[status.name] = [reported];
  }
  return {
    startTime: remembered.startTime ?? fromInstant(pod.status?.startTime, now),
    attempts,
    waiting: {},
    ...(remembered.stopping === undefined ? {} : { stopping: remembered.stopping }),
  };
}

function recoverAttempt(status: AgentContainerStatus, now: number): ContainerAttempt | undefined {
  const { running } = status.state;
  const terminated = status.state.terminated ?? status.lastState.terminated;
  const at = { id: status.containerID ?? '', number: status.restartCount };
  if (running !== undefined) {
    const startedAt = fromInstant(running.startedAt, now);
    return { ...at, startedAt, end: { ...LOST, startedAt, finishedAt: now } };
  }
  if (terminated === undefined) return undefined;
  const startedAt = fromInstant(terminated.startedAt, now);
  const { exitCode, reason, message } = terminated;
  const finishedAt = fromInstant(terminated.finishedAt, now);
  return {
    ...at,
    startedAt,
    end: { exitCode, reason, ...(message === undefined ? {} : { message }), startedAt, finishedAt },
  };
}
