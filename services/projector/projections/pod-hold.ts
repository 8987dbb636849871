import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import type { ContainerState, Pod } from '../../../workflows/kubernetes/objects.ts';
import type { PodRow } from '../../read-model/tables/pods.ts';
import { instantAt, toTimestamp } from './instants.ts';

type RequestStep = NonNullable<PodRow['request_steps']>[number];

/** The most changes of a pod's requests that are kept, because a user may resize a pod without end. */
const MOST_STEPS = 100;
/**
 * How far an instant of a pod's status may lie outside the time in which the pod can have existed, in milliseconds: the clocks of
 * nodes differ, but a user with rights to the status may write any instant, and each hour of a pod is counted.
 */
const MOST_SKEW_MS = 3_600_000;

/**
 * The time at which the pod was bound to its node: the transition of the condition PodScheduled; for a pod that was
 * created with a node, the time at which the kubelet accepted it. Null while the pod has no node. The time is at most an
 * hour before the creation of the pod.
 */
export function boundAt({ metadata, spec, status }: Pod): string | null {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const isScheduled = scheduled?.status === 'True';
  if (!isScheduled && spec.nodeName === undefined) return null;
  const bound = toTimestamp(isScheduled ? scheduled.lastTransitionTime : status?.startTime);
  if (bound === null) return null;
  const earliest = instantAt(Date.parse(metadata.creationTimestamp) - MOST_SKEW_MS);
  return earliest !== null && bound < earliest ? earliest : bound;
}

/** The latest end of the containers of a pod, init containers included; null while one of them runs, and before. */
export function lastContainerEnd({ status }: Pod): string | null {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  if (all.some(({ state }) => state?.running !== undefined)) return null;
  const ends = all.flatMap(({ state, lastState }) => [endOf(state), endOf(lastState)].filter(isKnown));
  return ends.toSorted().at(-1) ?? null;
}

function endOf(state: ContainerState | undefined): string | null {
  return toTimestamp(state?.terminated?.finishedAt);
}

function isKnown(instant: string | null): instant is string {
  return instant !== null;
}

/** The earlier requests of a pod that was observed with other requests at `time`; the last {@link MOST_STEPS}. */
export function requestSteps(
  before: PodRow,
  after: Pick<PodRow, 'cpu_request_cores' | 'memory_request_bytes' | 'gpu_request'>,
  time: string,
): RequestStep[] | null {
  const {
    cpu_request_cores: cpu,
    memory_request_bytes: memory,
    gpu_request: gpus,
    request_steps: steps,
  } = before;
  const isSame =
    isSameAmount(cpu, after.cpu_request_cores) &&
    isSameAmount(memory, after.memory_request_bytes) &&
    isSameAmount(gpus, after.gpu_request);
  if (isSame || cpu === null || memory === null || gpus === null || before.bound_at === null) return steps;
  const until = wholeSecond(time);
  const step = { until, cpu_request_cores: cpu, memory_request_bytes: memory, gpu_request: gpus };
  return [...(steps ?? []), step].slice(-MOST_STEPS);
}

/** Postgres may return an amount in another form than the form in which it was written. */
function isSameAmount(one: string | null, other: string | null): boolean {
  return one === other || (one !== null && other !== null && Number(one) === Number(other));
}

/**
 * The row with the end of the time for which the pod held its node. This is the end of its last container, or the
 * deletion of a pod that was deleted before its end was seen. When neither was seen, `held_until` is the latest and
 * `held_until_at_least` the earliest possible end. `time` is the time of the event, and `isSeen` is false for a deletion
 * that happened at an unknown time before. The end is at most an hour after the event.
 */
export function addHold(
  before: PodRow | undefined,
  row: PodRow,
  { time, isSeen }: { time: string; isSeen: boolean },
): PodRow {
  const ended = row.last_container_ended_at === null ? null : atMost(row.last_container_ended_at, time);
  if (isTerminal(row.phase ?? undefined)) {
    if (ended !== null) return withHold(row, ended, null);
    const isKnownEnd = before !== undefined && isTerminal(before.phase ?? undefined);
    const latest = isKnownEnd ? before.held_until : wholeSecond(time);
    return withHold(row, latest, row.finished_at);
  }
  if (row.deleted_at === null) return withHold(row, null, null);
  if (before !== undefined && before.deleted_at !== null) return row;
  const deleted = wholeSecond(row.deleted_at);
  if (!isSeen) return withHold(row, deleted, wholeSecond(before?.last_seen_at ?? row.first_seen_at));
  return withHold(row, ended !== null && ended > deleted ? ended : deleted, null);
}

/** The instant, or the latest instant that an event at `time` can report. */
function atMost(instant: string, time: string): string {
  const latest = instantAt(Date.parse(wholeSecond(time)) + MOST_SKEW_MS) ?? instant;
  return instant > latest ? latest : instant;
}

function withHold(row: PodRow, until: string | null, atLeast: string | null): PodRow {
  const isExact = until === null || atLeast === null || atLeast >= until;
  return { ...row, held_until: until, held_until_at_least: isExact ? null : atLeast };
}

/** The instant without its fraction of a second: the API has whole seconds, and recorded times have milliseconds. */
function wholeSecond(instant: string): string {
  return instantAt(Math.floor(Date.parse(instant) / 1000) * 1000) ?? instant;
}
