import type { JobEvent, JobSnapshotted } from '../../workflows/job/events.ts';
import { recalled } from '../../workflows/job/record/recalled.ts';
import { foldStart, snapshotting } from '../../workflows/job/record/snapshot.ts';

/** The result of work in steps. */
export function resultOf<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A snapshot of what the stream of a Job has; null when there is none yet. */
export function snapshotOf(stream: readonly JobEvent[]): JobSnapshotted | null {
  const [start, first] = [foldStart(stream.map(recalled), true), stream.find(({ data }) => 'jobUid' in data)];
  if (start === null || first === undefined || !('jobUid' in first.data)) return null;
  const { cluster, jobUid } = first.data;
  const record = resultOf(snapshotting({ cluster, jobUid, subject: first.subject }, start));
  return record === null ? null : { ...record, time: '2026-11-22T00:00:00.000Z' };
}

/** The stream with about `count` snapshots, each of what was there, evenly spread. */
export function withSnapshots(stream: readonly JobEvent[], count: number): JobEvent[] {
  const all: JobEvent[] = [];
  const every = Math.max(1, Math.floor(stream.length / (count + 1)));
  for (const [at, event] of stream.entries()) {
    all.push(event);
    const snapshot = at % every === every - 1 ? snapshotOf(all) : null;
    if (snapshot !== null) all.push(snapshot);
  }
  return all;
}
