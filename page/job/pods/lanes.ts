import { podOutcome } from '../../../services/read-model/shown/pod-outcome.ts';
import type { ListedPod } from '../../api/rows.ts';
import type { LifePod } from '../life/job-life.ts';
import type { IndexBackOff } from './index-back-offs.ts';

/** A state of a pod with its period. `to` is null while the state continues. */
export interface Segment {
  kind: 'pending' | 'running' | 'ready';
  from: number;
  to: number | null;
}

/** The outcome of a pod. `stopped`: Jobledger ended the pod; `open`: the pod has not ended. */
export type LaneOutcome = 'open' | 'succeeded' | 'failed' | 'stopped';

/** One pod of a lane. */
export interface LanePod {
  uid: string;
  name: string;
  segments: Segment[];
  outcome: LaneOutcome;
  /** The end of the pod; null while it exists. `code` is the text at the end of its bar. */
  end: { at: number; message: string; code: string; isFailure: boolean } | null;
}

/** A line of the picture: an index with all its attempts, or one attempt of a Job without indexes. */
export interface Lane {
  key: string;
  /** The value is null for the lane of a pod without an index. */
  index: number | null;
  /** The cluster of the lane's pods; only a spread Job has it, because its lanes are grouped by cluster. */
  cluster?: string;
  label: string;
  pods: LanePod[];
  /** The recorded back-offs of this index; absent if failures delay the whole Job. */
  backOffs?: readonly IndexBackOff[];
}

/**
 * The lanes of a Job: an Indexed Job has a lane for each completion index, and a spread Job has one for each index in each of its clusters; any other
 * Job has a lane for each pod, in the order of creation. `backOffs` has the recorded back-offs of each index.
 */
export function toLanes(
  pods: readonly LifePod[],
  backOffs: ReadonlyMap<number, readonly IndexBackOff[]> | null = null,
): Lane[] {
  const ordered = pods.toSorted(
    (a, b) => (parseInstant(a.created_at) ?? 0) - (parseInstant(b.created_at) ?? 0),
  );
  const found = new Map<string, Lane>();
  for (const pod of ordered) {
    const { completion_index: index, name, uid, member } = pod;
    const label = index === null ? name : `index ${index}`;
    const key = index === null ? uid : member === undefined ? label : `${label} in ${member.cluster}`;
    const own = index === null || backOffs === null ? {} : { backOffs: backOffs.get(index) ?? [] };
    const place = member === undefined ? {} : { cluster: member.cluster };
    const lane = found.get(key) ?? { key, index, label, pods: [], ...place, ...own };
    lane.pods.push(lanePod(pod));
    found.set(key, lane);
  }
  // The sort is stable, so pods without an index keep the order of their creation.
  return [...found.values()].sort(
    (a, b) => (a.cluster ?? '').localeCompare(b.cluster ?? '', 'en') || (a.index ?? -1) - (b.index ?? -1),
  );
}

/** A pod of a lane, with its states and its end. */
function lanePod(pod: ListedPod): LanePod {
  const { uid, name } = pod;
  const [created, started, ready] = [pod.created_at, pod.started_at, pod.first_ready_at].map(parseInstant);
  const over = parseInstant(pod.finished_at) ?? parseInstant(pod.deleted_at);
  const phases: [Segment['kind'], number | null | undefined][] = [
    ['pending', created],
    ['running', started],
    ['ready', ready],
  ];
  const begun = phases.flatMap(([kind, from]) =>
    from === null || from === undefined ? [] : [{ kind, from }],
  );
  const segments = begun.flatMap(({ kind, from }, at) => {
    const to = begun[at + 1]?.from ?? over;
    return to !== null && to < from ? [] : [{ kind, from, to }];
  });
  const outcome = over === null ? 'open' : podOutcome(pod);
  return { uid, name, segments, outcome, end: over === null ? null : { at: over, ...podEnd(pod) } };
}

/** The text about the end of a pod, with its exit code. */
function podEnd(pod: ListedPod): { message: string; code: string; isFailure: boolean } {
  const { phase, exit_code: code, reason, end_message: why } = pod;
  const isFailure = podOutcome(pod) === 'failed';
  const mark = isFailure ? String(code ?? reason ?? '') : '';
  if (code !== null) return { message: `exit code ${code}`, code: mark, isFailure };
  return { message: reason ?? why ?? phase ?? 'deleted', code: mark, isFailure };
}

/** The state of a pod at an instant, in the words of the axis; null before its creation. */
export function podTextAt({ segments, end }: LanePod, at: number): string | null {
  if (end !== null && end.at <= at) return end.message;
  return segments.findLast(({ from }) => from <= at)?.kind ?? null;
}

/** The state of a pod at an instant, as one word such as Pending, Running or Succeeded; null before the pod was created. */
export function podStateAt({ segments, end, outcome }: LanePod, at: number): string | null {
  if (end !== null && end.at <= at)
    return outcome === 'succeeded' ? 'Succeeded' : outcome === 'failed' ? 'Failed' : 'Stopped';
  const kind = segments.findLast(({ from }) => from <= at)?.kind;
  if (kind === undefined) return null;
  return kind === 'pending' ? 'Pending' : 'Running';
}

/** A wait for the next attempt of a lane. `to` is null when the end of the wait is not known. */
export interface LaneBackOff {
  from: number;
  to: number | null;
}

/**
 * The waits after the failed attempts of an index. A wait is the recorded back-off of the index. If failures delay the whole Job, the wait lasts
 * until the
 * next attempt or, after the last attempt, until `next`.
 */
export function laneBackOffs({ pods, index, backOffs }: Lane, next: number | null): LaneBackOff[] {
  if (index === null) return [];
  return pods.flatMap(({ outcome, end }, place) => {
    if (outcome !== 'failed' || end === null) return [];
    const begin = pods[place + 1]?.segments[0]?.from ?? null;
    const to = backOffs === undefined ? (begin ?? next) : recordedEnd(backOffs, end.at, begin);
    return to === null || to <= end.at ? [] : [{ from: end.at, to }];
  });
}

/**
 * The end of the recorded back-off after a failure, or the next attempt if it was earlier; null when no back-off was recorded.
 */
function recordedEnd(backOffs: readonly IndexBackOff[], failed: number, begin: number | null): number | null {
  const last = begin ?? Number.POSITIVE_INFINITY;
  const own = backOffs.findLast(({ decided, until }) => until > failed && decided <= last);
  return own === undefined ? null : Math.min(own.until, last);
}

/** Converts an instant to milliseconds since 1970; null stays null. */
function parseInstant(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}
