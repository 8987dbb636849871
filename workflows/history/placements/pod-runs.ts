import type { Pod } from '../../kubernetes/objects.ts';
import type { JobEvent, PodDeleted, PodObserved } from '../../job/events.ts';
import { parseInstant } from '../../job/definitions/instants.ts';
import { indexOfName } from '../../job/definitions/pod-names.ts';
import { isTerminal } from '../../job/definitions/pod-phase.ts';
import { findController } from '../../kubernetes/controller.ts';
import { indexOfPod } from '../../kubernetes/pod-index.ts';
import { isTracked } from '../../kubernetes/tracked.ts';

/** The time for which a pod ran, as recorded. Instants are milliseconds; those of containers by the clock of their node. */
export interface PodRun {
  uid: string;
  name: string;
  index: number | null;
  /** When its first container started, cut to the second. */
  startedAt: number;
  /** When its last container ended; null when that was not seen. */
  endedAt: number | null;
  /** When the end, or the deletion, was recorded, by the ingester's clock; null: neither was. */
  overBy: number | null;
  /**
   * It succeeded while its Job tracked it. A suspended Job releases its pods before it deletes them: a success after that counts for
   * nobody (J-6.43, B-15).
   */
  countsAsSucceeded: boolean;
}

/** Follows the pods of a Job, and reports each one that ran when it is over. A pod may be reported again with the same times. */
export interface PodRuns {
  add(event: JobEvent): void;
  /** No pod is known that is not over. */
  isEmpty(): boolean;
  /** Reports the pods that are not over. */
  end(): void;
}

type Started = Omit<PodRun, 'endedAt' | 'overBy' | 'countsAsSucceeded'>;

export function followPods(report: (run: PodRun) => void): PodRuns {
  const open = new Map<string, Started>();
  const observed = ({ time, data }: PodObserved): void => {
    const { object } = data;
    const { uid } = object.metadata;
    const started = earliest(open.get(uid), startIn(object));
    if (started === undefined) return;
    const phase = object.status?.phase;
    if (!isTerminal(phase)) return void open.set(uid, started);
    open.delete(uid);
    const overBy = Date.parse(time);
    report({ ...started, endedAt: endIn(object), overBy, countsAsSucceeded: countsAsSucceeded(object) });
  };
  const deleted = ({ time, data }: PodDeleted): void => {
    const { podUid, object } = data;
    const started = earliest(open.get(podUid), object === undefined ? undefined : startIn(object));
    open.delete(podUid);
    if (started === undefined) return;
    const endedAt = object === undefined ? null : endIn(object);
    const counts = object !== undefined && countsAsSucceeded(object);
    report({ ...started, endedAt, overBy: Date.parse(time), countsAsSucceeded: counts });
  };
  return {
    add(event) {
      if (event.type === 'pod.observed') observed(event);
      if (event.type === 'pod.deleted') deleted(event);
    },
    isEmpty: () => open.size === 0,
    end() {
      for (const started of open.values())
        report({ ...started, endedAt: null, overBy: null, countsAsSucceeded: false });
    },
  };
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

/** Undefined when no container has started. */
function startIn(pod: Pod): Started | undefined {
  const { metadata, status } = pod;
  const starts = containerTimes(pod).flatMap(({ state, lastState }) =>
    [state?.running, state?.terminated, lastState?.terminated].flatMap(
      (times) => parseInstant(times?.startedAt) ?? [],
    ),
  );
  const ran = status?.phase === 'Running' || status?.phase === 'Succeeded';
  const fallback = ran ? parseInstant(status.startTime ?? metadata.creationTimestamp) : null;
  const startedAt = starts.length > 0 ? Math.min(...starts) : fallback;
  if (startedAt === null) return undefined;
  // What it runs for, whatever its annotation says by now.
  const { uid = '', name = '' } = findController(metadata) ?? {};
  const index = indexOfName({ uid, name }, metadata.name) ?? indexOfPod(pod);
  return { uid: metadata.uid, name: metadata.name, index, startedAt };
}

/** Null unless every container that is known has ended. */
function endIn(pod: Pod): number | null {
  const containers = containerTimes(pod);
  if (containers.some(({ state }) => state?.running !== undefined)) return null;
  const ends = containers.flatMap(({ state }) => parseInstant(state?.terminated?.finishedAt) ?? []);
  return ends.length === 0 ? null : Math.max(...ends);
}

function countsAsSucceeded({ status, metadata }: Pod): boolean {
  return status?.phase === 'Succeeded' && isTracked(metadata);
}

function earliest(a: Started | undefined, b: Started | undefined): Started | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.startedAt <= b.startedAt ? a : b;
}
