import type { Pod } from '../../kubernetes/objects.ts';
import type { JobEvent, PodDeleted, PodObserved } from '../../job/events.ts';
import { parseInstant } from '../../ledger/instants.ts';
import { indexOfName } from '../../job/definitions/pod-names.ts';
import { plainNumbers } from '../../ledger/plain-numbers.ts';
import { isTerminal } from '../../job/definitions/pod-phase.ts';
import { findController } from '../../kubernetes/controller.ts';
import { indexOfPod } from '../../kubernetes/pod-index.ts';
import { isTracked } from '../../kubernetes/tracked.ts';
import { outlivesRestore } from '../../placement/definitions/kubelets.ts';

/**
 * The time during which a pod ran, according to the records. Instants are in milliseconds; instants of containers are
 * by the clock of the node.
 */
export interface PodRun {
  uid: string;
  name: string;
  index: number | null;
  /** The time when the first container of the pod started, cut to the second. */
  startedAt: number;
  /** The time when the last container of the pod ended; null when no end was observed. */
  endedAt: number | null;
  /** The time when the end or the deletion was recorded, by the ingester's clock; null without such a record. */
  overBy: number | null;
  /**
   * True when the pod succeeded while its Job tracked it. A suspended Job releases its pods before it deletes them,
   * so a success after the release does not count (J-6.43, B-15).
   */
  countsAsSucceeded: boolean;
}

/**
 * Follows the pods of a Job, and reports each pod that ran, after it has ended. A pod may be reported again with the
 * same times.
 */
export interface PodRuns {
  add(event: JobEvent): void;
  /** True when no open pod is known. */
  isEmpty(): boolean;
  /** Reports the pods that have not ended. */
  end(): void;
}

/** `epoch` is the epoch of the cluster when the pod was last seen, and `graceSeconds` is the time that the containers of the pod have to end. */
type Started = Omit<PodRun, 'endedAt' | 'overBy' | 'countsAsSucceeded'> & {
  epoch: number;
  graceSeconds: number | undefined;
};

/**
 * Follows the pods of a Job, and calls `report` for each pod that ran; `restoredAt` gives the time of the first
 * record of the present epoch of the cluster, in milliseconds.
 */
export function followPods(report: (run: PodRun) => void, restoredAt: () => number): PodRuns {
  const open = new Map<string, Started>();
  /** Folds an observed pod: its start and its end. */
  const observed = ({ time, data }: PodObserved): void => {
    const { object } = data;
    const { uid } = object.metadata;
    const started = earliest(open.get(uid), startIn(object, data.epoch));
    if (started === undefined) return;
    const phase = object.status?.phase;
    if (!isTerminal(phase)) return void open.set(uid, started);
    open.delete(uid);
    const overBy = Date.parse(time);
    report({
      ...toRun(started),
      endedAt: endIn(object),
      overBy,
      countsAsSucceeded: countsAsSucceeded(object),
    });
  };
  /** Folds the deletion of a pod, which ends its run. */
  const deleted = ({ time, data }: PodDeleted): void => {
    const { podUid, object } = data;
    const started = earliest(
      open.get(podUid),
      object === undefined ? undefined : startIn(object, data.epoch),
    );
    open.delete(podUid);
    if (started === undefined) return;
    const endedAt = object === undefined ? null : endIn(object);
    const counts = object !== undefined && countsAsSucceeded(object);
    const overBy = isRestored(data, started)
      ? restoredAt() + outlivesRestore(started.graceSeconds)
      : Date.parse(time);
    report({ ...toRun(started), endedAt, overBy, countsAsSucceeded: counts });
  };
  return {
    add(event) {
      if (event.type === 'pod.observed') observed(event);
      if (event.type === 'pod.deleted') deleted(event);
    },
    isEmpty: () => open.size === 0,
    end() {
      for (const started of open.values())
        report({ ...toRun(started), endedAt: null, overBy: null, countsAsSucceeded: false });
    },
  };
}

/** The run of a pod that has started. */
function toRun({
  epoch: _epoch,
  graceSeconds: _grace,
  ...started
}: Started): Omit<Started, 'epoch' | 'graceSeconds'> {
  return started;
}

/**
 * True when the pod was lost because the cluster was restored from an older copy, so the end of the pod was not
 * observed.
 */
function isRestored({ seen, epoch = 0 }: PodDeleted['data'], started: Started): boolean {
  return !seen && epoch > started.epoch;
}

/** The times of a container that the checks read. */
interface Times {
  startedAt?: string | null;
  finishedAt?: string | null;
}

interface ContainerTimes {
  state?: { running?: Times; terminated?: Times };
  lastState?: { terminated?: Times };
}

function containerTimes({ status }: Pod): ContainerTimes[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

/** The time when the first container started; undefined when no container has started. */
function startIn(pod: Pod, epoch = 0): Started | undefined {
  const { metadata, status, spec } = pod;
  const starts = containerTimes(pod).flatMap(({ state, lastState }) =>
    [state?.running, state?.terminated, lastState?.terminated].flatMap(
      (times) => parseInstant(times?.startedAt) ?? [],
    ),
  );
  const ran = status?.phase === 'Running' || status?.phase === 'Succeeded';
  const fallback = ran ? parseInstant(status.startTime ?? metadata.creationTimestamp) : null;
  const startedAt = starts.length > 0 ? Math.min(...starts) : fallback;
  if (startedAt === null) return undefined;
  // The index that the pod was created for; another client may have changed the index in its annotation.
  const { uid = '', name = '' } = findController(metadata) ?? {};
  const index = indexOfName({ uid, name }, metadata.name) ?? indexOfPod(pod);
  const { terminationGracePeriodSeconds: graceSeconds } = plainNumbers(spec);
  return { uid: metadata.uid, name: metadata.name, index, startedAt, epoch, graceSeconds };
}

/** The end of the last container; null unless every known container has ended. */
export function endIn(pod: Pod): number | null {
  const containers = containerTimes(pod);
  if (containers.some(({ state }) => state?.running !== undefined)) return null;
  const ends = containers.flatMap(({ state }) => parseInstant(state?.terminated?.finishedAt) ?? []);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** True when a pod succeeded while its Job tracked it. */
function countsAsSucceeded({ status, metadata }: Pod): boolean {
  return status?.phase === 'Succeeded' && isTracked(metadata);
}

/** The earlier of two observed starts of a pod, with the later epoch. */
function earliest(a: Started | undefined, b: Started | undefined): Started | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { ...(a.startedAt <= b.startedAt ? a : b), epoch: Math.max(a.epoch, b.epoch) };
}
