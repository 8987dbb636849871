import type { Appender, Permit } from '../../adapters/kafka/append.ts';
import { encodeLiveRecord } from '../../live-topic/live-topic.ts';
import { positionRecord } from '../../live-topic/watches.ts';
import { createLinger } from '../../adapters/kafka/linger.ts';
import type { Topics } from '../../adapters/kafka/connection.ts';
import { errorMessage, UnavailableError } from '../../adapters/errors.ts';
import { stringifyExact } from '../../adapters/exact-json.ts';
import { faultPoint } from '../../adapters/process/fault-points.ts';
import { firstWithin } from '../../adapters/first-within.ts';
import type { Log } from '../../adapters/process/log.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import type { StoredChange } from '../live-set/live-set.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { createUnwrittenChanges, type UnwrittenChanges } from './unwritten-changes.ts';

/**
 * The most translations that may wait for Kafka, and the most bytes of their events. Beyond these limits, the watches
 * pause.
 */
const CAPACITY = 10_000;
const CAPACITY_BYTES = 32 * 1024 * 1024;
/**
 * The most translations and bytes of a batch; a larger translation is a batch of its own. Batches are small because a
 * failed batch is repeated.
 */
const BATCH = 500;
const BATCH_BYTES = 1024 * 1024;
const LINGER_MS = 100;

/** Events for the ledger, and the changes of the live topic that are written after them. */
export interface ToAppend {
  events: LedgerEvent[];
  changes: StoredChange[];
}

/** The translations of one cluster on their way to Kafka, in order. */
export interface AppendQueue {
  /** Enqueues a translation behind the earlier translations; resolves when there is room for another translation. */
  put(translated: ToAppend): Promise<void>;
  /** Resolves when everything enqueued so far has been appended. */
  drained(): Promise<void>;
  /** Writes the remaining changes whose events have been appended. Called once, after `signal` is aborted. */
  close(): Promise<void>;
}

interface QueueDependencies {
  cluster: string;
  appender: Appender;
  topics: Topics;
  log: Log;
  /** False when another ingester may be active. No event is appended after the first false result. */
  isHeld: () => boolean;
  signal: AbortSignal;
  /** Called when everything that a watch reported up to its position is in the ledger. */
  onReached?: (position: Extract<StoredChange, { resource: 'position' }>) => void;
  /** The pause between two batches under load, in milliseconds. The default is 100. */
  lingerMs?: number;
}

type Waiting = ToAppend & { bytes: number };

/**
 * Appends translations in order; each batch has the translations that arrived while the last batch was in flight. The
 * queue first appends the events, and writes the live set and the positions afterwards, at most once a second. After a
 * crash in between, the same events are appended again with the same ids. The appender waits while Kafka is down, and
 * drops no event.
 */
export function createAppendQueue(dependencies: QueueDependencies): AppendQueue {
  const waiting: Waiting[] = [];
  let waitingBytes = 0;
  const linger = createLinger(dependencies.lingerMs ?? LINGER_MS);
  const unwritten = createUnwrittenChanges();
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;

  const sendWaiting = async (): Promise<void> => {
    while (!dependencies.signal.aborted && (waiting.length > 0 || unwritten.wait() === 0)) {
      const batch = firstWithin(waiting.slice(0, BATCH), ({ bytes }) => bytes, BATCH_BYTES);
      const events = batch.flatMap((each) => each.events);
      if (events.length > 0 && !(await appendEvents(dependencies, events))) break;
      for (const { changes, bytes } of batch) {
        unwritten.add(changes);
        for (const change of changes) if (change.resource === 'position') dependencies.onReached?.(change);
        waitingBytes -= bytes;
      }
      waiting.splice(0, batch.length);
      if (unwritten.wait() === 0 && !(await writeChanges(dependencies, unwritten))) break;
      // When a full batch is waiting, a pause would not make the batch larger.
      if (waiting.length < BATCH) await linger(dependencies.signal);
    }
    isRunning = false;
    const wait = unwritten.wait();
    clearTimeout(timer);
    if (wait !== null && !dependencies.signal.aborted) timer = setTimeout(startSending, wait);
  };
  const startSending = (): void => {
    if (isRunning) return;
    isRunning = true;
    running = sendWaiting();
  };
  return {
    async put(translated) {
      const bytes = countBytes(translated.events);
      waiting.push({ ...translated, bytes });
      waitingBytes += bytes;
      startSending();
      if (waiting.length > CAPACITY || waitingBytes > CAPACITY_BYTES) await running;
    },
    drained: () => running,
    async close() {
      clearTimeout(timer);
      await running;
      const changes = unwritten.all();
      if (changes.length === 0) return;
      await writeLive(dependencies, changes).catch((error: unknown) =>
        dependencies.log.debug({ error: errorMessage(error) }, 'the live set was not written'),
      );
    },
  };
}

/** The permit that each request of the active ingester needs; it throws when another ingester may be active. */
export function leasePermit(isHeld: () => boolean): Permit {
  return () => {
    if (!isHeld())
      throw new UnavailableError('the Lease was not renewed in time, so another ingester may be active');
  };
}

/** Returns false when `signal` was aborted first. */
function appendEvents(dependencies: QueueDependencies, events: LedgerEvent[]): Promise<boolean> {
  const { appender, isHeld } = dependencies;
  return retryUntilAccepted(dependencies, async () => {
    await appender.append(events, leasePermit(isHeld));
    faultPoint('after-append');
  });
}

/**
 * Writes the changes of the live set until Kafka accepts them, without the events, which the ledger already has.
 * Returns false when `signal` was aborted first.
 */
async function writeChanges(dependencies: QueueDependencies, unwritten: UnwrittenChanges): Promise<boolean> {
  const changes = unwritten.all();
  const isWritten = await retryUntilAccepted(dependencies, () => writeLive(dependencies, changes));
  if (isWritten) unwritten.clear();
  return isWritten;
}

function writeLive(
  { cluster, appender, topics, isHeld }: QueueDependencies,
  changes: readonly StoredChange[],
): Promise<void> {
  const records = changes.map((change) => encodeLiveRecord(encodeChange(cluster, change)));
  return appender.write(topics.live, records, leasePermit(isHeld));
}

/** Repeats an attempt until Kafka accepts it; resolves to false when `signal` was aborted first. */
function retryUntilAccepted(
  { cluster, log, signal }: QueueDependencies,
  attempt: () => Promise<void>,
): Promise<boolean> {
  const onFailedAttempt = logFailures(log, 'cannot append to Kafka; trying again', { cluster });
  const accepted = retry(attempt, { signal, shouldRetry: () => true, onFailedAttempt });
  return accepted.then(
    () => true,
    () => false,
  );
}

function countBytes(events: LedgerEvent[]): number {
  return events.reduce((total, { data }) => total + Buffer.byteLength(stringifyExact(data)), 0);
}

function encodeChange(cluster: string, change: StoredChange): Parameters<typeof encodeLiveRecord>[0] {
  if (change.resource === 'position') return positionRecord(cluster, change.of, change.position);
  return { cluster, kind: change.resource, key: change.uid, value: change.entry };
}
