import type { ListedPod } from '../api/rows.ts';

/** A state of a pod over a time. `to` null: it continues. */
export interface Segment {
  kind: 'pending' | 'running' | 'ready';
  from: number;
  to: number | null;
}

/** One pod of a lane. */
export interface LanePod {
  uid: string;
  name: string;
  segments: Segment[];
  /** How it ended; null: it has not. */
  end: { at: number; words: string; isFailure: boolean } | null;
}

/** A line of the picture: an index with all its attempts, or one attempt of a Job without indexes. */
export interface Lane {
  key: string;
  /** Null: the lane of a pod without an index. */
  index: number | null;
  label: string;
  pods: LanePod[];
}

/** A lane for each completion index, in order; for other Jobs, a lane for each pod, in the order of creation. */
export function lanesOf(pods: readonly ListedPod[]): Lane[] {
  const ordered = pods.toSorted((a, b) => (instant(a.created_at) ?? 0) - (instant(b.created_at) ?? 0));
  const found = new Map<string, Lane>();
  for (const pod of ordered) {
    const { completion_index: index, name, uid } = pod;
    const key = index === null ? uid : `index ${index}`;
    const lane = found.get(key) ?? { key, index, label: index === null ? name : key, pods: [] };
    lane.pods.push(lanePod(pod));
    found.set(key, lane);
  }
  // A stable order: pods without index stay as they were created.
  return [...found.values()].sort((a, b) => (a.index ?? -1) - (b.index ?? -1));
}

function lanePod(pod: ListedPod): LanePod {
  const { uid, name } = pod;
  const [created, started, ready] = [pod.created_at, pod.started_at, pod.first_ready_at].map(instant);
  const over = instant(pod.finished_at) ?? instant(pod.deleted_at);
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
  return { uid, name, segments, end: over === null ? null : { at: over, ...endOf(pod) } };
}

function endOf({ phase, exit_code: code, reason, why_ended: why }: ListedPod): {
  words: string;
  isFailure: boolean;
} {
  const isFailure = phase === 'Failed' || (code !== null && code !== 0);
  if (code !== null) return { words: `exit code ${code}`, isFailure };
  return { words: reason ?? why ?? phase ?? 'deleted', isFailure };
}

/** A pod at an instant: nothing before its creation. */
export function podWordAt({ segments, end }: LanePod, at: number): string | null {
  if (end !== null && end.at <= at) return end.words;
  return segments.findLast(({ from }) => from <= at)?.kind ?? null;
}

function instant(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}
