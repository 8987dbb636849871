import type { ObjectRef } from '../../../workflows/activities.ts';
import type { AnySnapshotted } from '../../../workflows/kind.ts';
import { getKind, streamId } from '../../../workflows/kinds.ts';
import { snapshotInSteps } from '../../../workflows/record/snapshot.ts';
import { errorMessage } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { runInSlices } from './in-slices.ts';
import type { StartReader } from './start-reader.ts';
import { dropOldest } from '../../adapters/drop-oldest.ts';

/**
 * Records snapshots of Jobs and CronJobs with long streams, so that a recall reads only the events after the last
 * snapshot.
 */
export interface Snapshots {
  /** Counts events of an object that were recorded, or that were recalled after its last snapshot. */
  count(job: ObjectRef, events: number): void;
  /** Resolves when no snapshot is in progress. */
  settled(): Promise<void>;
}

export interface SnapshotDependencies {
  readStart: StartReader;
  append: (events: readonly AnySnapshotted[]) => Promise<void>;
  /** False when no snapshots may be recorded. */
  areAllowed: boolean;
  signal: AbortSignal;
  log: Log;
}

/**
 * The number of events after which a snapshot is due. The number is greater if the last snapshot was large: see
 * BYTES_FOR_EVENT.
 */
const EVENTS = 1000;
/**
 * The bytes of the last snapshot for which the interval grows by one event. An event has about 2 kB, so snapshots make
 * a stream at most one fifth longer.
 */
const BYTES_FOR_EVENT = 400;
/**
 * The most objects whose events the worker counts; beyond this number, the worker forgets the object without new events
 * for the longest time.
 */
const JOBS = 50_000;

interface Count {
  events: number;
  /** The number of events at which a snapshot is due. */
  due: number;
}

export function createSnapshots({
  readStart,
  append,
  areAllowed,
  signal,
  log,
}: SnapshotDependencies): Snapshots {
  const counts = new Map<string, Count>();
  /** The objects are handled one at a time, because each holds a part of a stream in memory. */
  let queue: Promise<void> = Promise.resolve();

  const recordSnapshot = async (job: ObjectRef, key: string): Promise<void> => {
    try {
      const { cluster, uid, namespace, name } = job;
      const of = { kind: getKind(job), cluster, uid, subject: `${namespace}/${name}` };
      const record = await runInSlices(snapshotInSteps(of, await readStart(job, signal)), signal);
      if (record === null) return;
      const bytes = JSON.stringify(record.data).length;
      keepCount(key, { events: record.data.unfolded.length, due: EVENTS + bytes / BYTES_FOR_EVENT });
      await append([{ ...record, time: new Date().toISOString() } as AnySnapshotted]);
    } catch (error) {
      if (!signal.aborted)
        log.warn({ job: key, error: errorMessage(error) }, 'no snapshot of a stream is recorded');
    }
  };

  const keepCount = (key: string, count: Count): void => {
    counts.delete(key);
    counts.set(key, count);
    dropOldest(counts, JOBS);
  };

  return {
    count(job, events) {
      if (!areAllowed) return;
      const key = streamId(job);
      const before = counts.get(key) ?? { events: 0, due: EVENTS };
      const isDue = before.events + events >= before.due;
      keepCount(key, { ...before, events: isDue ? 0 : before.events + events });
      if (isDue) queue = queue.then(() => recordSnapshot(job, key));
    },
    settled: () => queue,
  };
}
