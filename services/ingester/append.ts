import type { Appender, Permit } from '../adapters/kafka/append.ts';
import { encodeLiveRecord } from '../contracts/live-topic.ts';
import type { Topics } from '../adapters/kafka/connection.ts';
import { messageOf, UnavailableError } from '../adapters/errors.ts';
import { stringifyExact } from '../adapters/exact-json.ts';
import { faultPoint } from '../adapters/fault-points.ts';
import { firstWithin } from '../adapters/first-within.ts';
import type { Log } from '../adapters/log.ts';
import { logFailures, retry } from '../adapters/retry.ts';
import type { LiveChange, Resource } from './live-set.ts';
import type { Translated } from './translate.ts';

/** The most translations, and bytes of their events, that may wait for Kafka. Beyond it the watches are not read further. */
const CAPACITY = 10_000;
const CAPACITY_BYTES = 32 * 1024 * 1024;
/** A batch that fails is repeated, so it is small: at most this many translations and bytes, or one larger one. */
const BATCH = 500;
const BATCH_BYTES = 1024 * 1024;
/**
 * The shortest interval between two records of one position, in milliseconds. A recorded position may lag behind the
 * appended events, but is never ahead of them: a watch that starts earlier repeats events, which their ids identify.
 */
const POSITION_MS = 1000;

/** Sends one cluster's translations to Kafka. */
export interface Sink {
  /** Enqueues a translation; resolves when there is room for the next. Keeps the order. */
  put(translated: Translated): Promise<void>;
  /** Resolves when everything enqueued so far has been appended. */
  drained(): Promise<void>;
  /** Writes the remaining positions whose events have been appended. Called once, after `signal` is aborted. */
  close(): Promise<void>;
}

interface SinkDependencies {
  cluster: string;
  appender: Appender;
  topics: Topics;
  log: Log;
  /** False as soon as another ingester may be active. Nothing is appended from then on. */
  isHeld: () => boolean;
  signal: AbortSignal;
}

type Queued = Translated & { bytes: number };
type PositionChange = Extract<LiveChange, { resource: 'position' }>;

/**
 * Appends in order, in batches of what arrived while the last batch was in flight. Each batch writes events first, then
 * the live set and the positions: after a crash in between, the same events are appended again with the same ids. While
 * Kafka is down it waits; nothing is dropped.
 */
export function createSink(dependencies: SinkDependencies): Sink {
  const queue: Queued[] = [];
  let queuedBytes = 0;
  const positions = createPositions();
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;

  const run = async (): Promise<void> => {
    while (!dependencies.signal.aborted && (queue.length > 0 || positions.due().length > 0)) {
      const batch = firstWithin(queue.slice(0, BATCH), ({ bytes }) => bytes, BATCH_BYTES);
      const changes = batch.flatMap((each) => each.changes);
      const reached = positions.due(changes.filter(isPosition));
      const events = batch.flatMap((each) => each.events);
      if (!(await appendBatch(dependencies, events, [...entriesOf(changes), ...reached]))) break;
      positions.appended(changes.filter(isPosition), reached);
      queue.splice(0, batch.length);
      for (const { bytes } of batch) queuedBytes -= bytes;
    }
    isRunning = false;
    const wait = positions.wait();
    clearTimeout(timer);
    if (wait !== null && !dependencies.signal.aborted) timer = setTimeout(start, wait);
  };
  const start = (): void => {
    if (isRunning) return;
    isRunning = true;
    running = run();
  };
  return {
    async put(translated) {
      const bytes = bytesOf(translated.events);
      queue.push({ ...translated, bytes });
      queuedBytes += bytes;
      start();
      if (queue.length > CAPACITY || queuedBytes > CAPACITY_BYTES) await running;
    },
    drained: () => running,
    async close() {
      clearTimeout(timer);
      await running;
      const records = positions
        .pending()
        .map((change) => encodeLiveRecord(recordOf(dependencies.cluster, change)));
      if (records.length === 0) return;
      await dependencies.appender
        .write(dependencies.topics.live, records, permitOf(dependencies.isHeld))
        .catch((error: unknown) =>
          dependencies.log.debug({ error: messageOf(error) }, 'positions not written'),
        );
    },
  };
}

/** The condition for each send of the active ingester. */
export function permitOf(isHeld: () => boolean): Permit {
  return () => {
    if (!isHeld())
      throw new UnavailableError('the Lease was not renewed in time, another ingester may be active');
  };
}

/** Returns false when `signal` was aborted first. */
async function appendBatch(
  { cluster, appender, topics, log, isHeld, signal }: SinkDependencies,
  events: Translated['events'],
  changes: readonly LiveChange[],
): Promise<boolean> {
  const permit = permitOf(isHeld);
  let isAppended = false;
  const attempt = async (): Promise<true> => {
    // When only the live set failed, appending the events again would fill the ledger with repeats.
    if (!isAppended) await appender.append(events, permit);
    isAppended = true;
    faultPoint('after-append');
    const records = changes.map((change) => encodeLiveRecord(recordOf(cluster, change)));
    await appender.write(topics.live, records, permit);
    return true;
  };
  const onFailedAttempt = logFailures(log, 'cannot append to Kafka; trying again', { cluster });
  return retry(attempt, { signal, shouldRetry: () => true, onFailedAttempt }).catch(() => false);
}

function bytesOf(events: Translated['events']): number {
  return events.reduce((total, { data }) => total + Buffer.byteLength(stringifyExact(data)), 0);
}

interface Positions {
  /** Positions to write now: appended ones, and newer ones in `reached` that are appended in this batch. */
  due(reached?: readonly PositionChange[]): PositionChange[];
  /** Marks positions as appended, and some of them as written. */
  appended(reached: readonly PositionChange[], written: readonly PositionChange[]): void;
  /** All positions that are appended but not written. */
  pending(): PositionChange[];
  /** Milliseconds until the next of these may be written; null when there is none. */
  wait(): number | null;
}

function createPositions(): Positions {
  const waiting = new Map<Resource, PositionChange>();
  const writtenAt = new Map<Resource, number>();
  const waitOf = (resource: Resource): number =>
    Math.max(0, (writtenAt.get(resource) ?? -Infinity) + POSITION_MS - performance.now());
  return {
    due(reached = []) {
      const newest = new Map([...waiting.values(), ...reached].map((change) => [change.of, change]));
      return [...newest.values()].filter(({ of }) => waitOf(of) === 0);
    },
    appended(reached, written) {
      for (const change of reached) waiting.set(change.of, change);
      for (const { of } of written) {
        waiting.delete(of);
        writtenAt.set(of, performance.now());
      }
    },
    pending: () => [...waiting.values()],
    wait: () => (waiting.size === 0 ? null : Math.min(...[...waiting.keys()].map(waitOf))),
  };
}

function isPosition(change: LiveChange): change is PositionChange {
  return change.resource === 'position';
}

/** Only the newest change of each object, because the topic is compacted. */
function entriesOf(changes: readonly LiveChange[]): LiveChange[] {
  const newest = new Map<string, LiveChange>();
  for (const change of changes) if (!isPosition(change)) newest.set(change.uid, change);
  return [...newest.values()];
}

function recordOf(cluster: string, change: LiveChange): Parameters<typeof encodeLiveRecord>[0] {
  if (change.resource === 'position')
    return { cluster, kind: 'position', key: change.of, value: change.position };
  return { cluster, kind: change.resource, key: change.uid, value: change.entry };
}
