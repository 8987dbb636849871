import { errorMessage } from '../../../../services/adapters/errors.ts';
import type { Log } from '../../../../services/adapters/process/log.ts';
import { createLoop } from './loop.ts';
import { beginStop, signalProcesses, startContainers } from './pod-actions.ts';
import { planPod, type PodPlan } from '../pod/plan.ts';
import type { AgentPod } from '../pod/pod.ts';
import type { PodRecord } from '../pod/pod-record.ts';
import { isPodFinished } from '../pod/progress.ts';
import { recoverRecord } from '../pod/recover.ts';
import type { BackOffSettings } from '../pod/restart.ts';
import { isReportedEnded, podStatus } from '../pod/status.ts';
import type { Containers, Ended } from '../process/containers.ts';
import type { Memory } from '../process/memory.ts';
import type { StatusWriter } from './status-writer.ts';

/** Runs one pod in a loop: plans from the present state, acts, and reports the status. */
export interface PodWorker {
  readonly pod: AgentPod;
  readonly record: PodRecord;
  /** Takes a newer version of the object, and ignores an older version. */
  update(pod: AgentPod): void;
  /** Stops the containers once the object is gone from the API, then calls `gone`. */
  remove(): void;
  /** Stops starting containers and reporting. */
  close(): void;
}

export interface PodWorkerDependencies {
  containers: Containers;
  memory: Pick<Memory, 'remember' | 'attempt'>;
  status: (written: (pod: AgentPod) => void) => StatusWriter;
  settings: BackOffSettings;
  log: Log;
  /** The callback once the object is gone and no container of the pod runs. */
  gone: () => void;
}

export function createPodWorker(first: AgentPod, dependencies: PodWorkerDependencies): PodWorker {
  const { uid } = first.metadata;
  let pod = first;
  const recordEnd: Ended = (container, number, end) => {
    const attempt = record.attempts[container]?.find((one) => one.number === number);
    if (attempt !== undefined) attempt.end = end;
    loop.wake();
  };
  const update = (next: AgentPod): void => {
    // The responses to our own writes and the watch events arrive in either order.
    if (BigInt(next.metadata.resourceVersion) <= BigInt(pod.metadata.resourceVersion)) return;
    pod = next;
    loop.wake();
  };
  const step = async (): Promise<void> => {
    if (beginStop(pod, record, Date.now())) dependencies.memory.remember(uid, record);
    const plan = planPod(pod, record, Date.now(), dependencies.settings);
    signalProcesses(plan, record, dependencies.containers, (name, number) =>
      dependencies.memory.attempt(uid, name, number),
    );
    await startContainers(plan, pod, record, dependencies.containers, recordEnd);
    if (plan.start.length > 0) loop.wake();
    else if (!loop.closed) reportStatus(pod, record, plan, writer, dependencies.gone);
    loop.wakeAt(plan.nextDecisionAt);
  };
  const loop = createLoop(step, (error) => {
    dependencies.log.error(
      { pod: pod.metadata.name, uid, error: errorMessage(error) },
      'the pod worker failed; retrying',
    );
  });
  const record = recoverRecord(first, dependencies.containers.recall(first, recordEnd), Date.now());
  const writer = dependencies.status(update);

  dependencies.memory.remember(uid, record);
  loop.wake();
  return {
    get pod() {
      return pod;
    },
    record,
    update,
    remove() {
      record.stopping = { since: record.stopping?.since ?? Date.now(), cause: 'gone' };
      loop.wake();
    },
    close() {
      loop.close();
      writer.close();
    },
  };
}

function reportStatus(
  pod: AgentPod,
  record: PodRecord,
  plan: PodPlan,
  writer: StatusWriter,
  gone: () => void,
): void {
  const finished = isPodFinished(pod, record);
  if (record.stopping?.cause === 'gone') {
    if (finished) gone();
    return;
  }
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  // With a grace period of 0 the API server deletes the object itself.
  const remove = finished && deletionTimestamp !== undefined && deletionGracePeriodSeconds !== 0;
  const isOver = finished && isReportedEnded(pod);
  writer.offer(pod, isOver ? undefined : podStatus(pod, record, plan.backingOff, Date.now()), remove);
}
