import { kindOfEvent, streamObject } from '../../workflows/kinds.ts';
import type { AnySnapshotted, StreamEvent } from '../../workflows/kind.ts';
import { recalledForm } from '../../workflows/record/recalled.ts';
import { foldStart, snapshotInSteps } from '../../workflows/record/snapshot.ts';

/** The result of work in steps. */
export function runToEnd<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A snapshot of what a stream has; null when there is none yet. */
export function lastSnapshot<E extends StreamEvent>(stream: readonly E[]): Extract<E, AnySnapshotted> | null {
  const first = stream.find((event) => kindOfEvent(event) !== undefined);
  const kind = first && kindOfEvent(first);
  if (first === undefined || kind === undefined) return null;
  const start = foldStart(
    kind,
    stream.map((event) => recalledForm(kind, event)),
    true,
  );
  if (start === null) return null;
  const { cluster, uid } = streamObject(kind, first);
  const record = runToEnd(snapshotInSteps({ kind, cluster, uid, subject: first.subject }, start));
  return record === null
    ? null
    : ({ ...record, time: '2026-11-22T00:00:00.000Z' } as Extract<E, AnySnapshotted>);
}

/** The stream with about `count` snapshots, each of what was there, evenly spread. */
export function withSnapshots<E extends StreamEvent>(stream: readonly E[], count: number): E[] {
  const all: E[] = [];
  const every = Math.max(1, Math.floor(stream.length / (count + 1)));
  for (const [at, event] of stream.entries()) {
    all.push(event);
    const snapshot = at % every === every - 1 ? lastSnapshot(all) : null;
    if (snapshot !== null) all.push(snapshot);
  }
  return all;
}
