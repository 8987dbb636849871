import { isTerminal } from '../../job/definitions/pod-phase.ts';
import type { JobEvent } from '../../job/events.ts';
import { podFinishTime } from '../../job/observe/finish-time.ts';

/** The lifetime of a pod in milliseconds since 1970: from its creation to its end, or to the last recorded event. */
export interface Lifetime {
  name: string;
  from: number;
  to: number;
}

const HOUR = 3_600_000;

/** The lifetimes of all observed pods. */
export function lifetimesIn(events: readonly JobEvent[]): Lifetime[] {
  const end = Math.max(...events.map(({ time }) => Date.parse(time)));
  const pods = new Map<string, { name: string; from: number; to: number | null }>();
  for (const event of events) {
    if (event.type === 'pod.observed') {
      const { metadata, status } = event.data.object;
      const known = pods.get(metadata.uid);
      const finished = isTerminal(status?.phase ?? '') ? podFinishTime(event.data.object) : null;
      const from = Date.parse(metadata.creationTimestamp);
      pods.set(metadata.uid, { name: metadata.name, from, to: known?.to ?? finished });
    }
    const gone = event.type === 'pod.deleted' ? pods.get(event.data.podUid) : undefined;
    if (gone !== undefined) gone.to ??= Date.parse(event.time);
  }
  return [...pods.values()].map(({ name, from, to }) => ({ name, from, to: Math.max(from, to ?? end) }));
}

/** The sum of lifetimes, in hours. */
export function sumPodHours(lifetimes: readonly Lifetime[]): number {
  return lifetimes.reduce((sum, { from, to }) => sum + (to - from), 0) / HOUR;
}

/** The pod-hours after the pods would have been gone (`left`, by name) or after the Job would have ended. */
export function savedHours(
  lifetimes: readonly Lifetime[],
  left: ReadonlyMap<string, number>,
  endedAt: number | null,
): number {
  const saved = lifetimes.map(({ name, from, to }) => {
    const until = Math.min(left.get(name) ?? Infinity, endedAt ?? Infinity);
    return { name, from: Math.min(to, Math.max(from, until)), to };
  });
  return sumPodHours(saved);
}
