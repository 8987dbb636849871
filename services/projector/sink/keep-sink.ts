import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { Database, Run } from '../../adapters/postgres/database.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import { passes, type MessageFilter } from './filter.ts';
import { jobMessage, type JobMessage, type JobMoment } from './message.ts';
import { recordedMoments, type FoundMoment } from './recorded.ts';
import { beginAtEnds, lockedSpan, moveSink, partitionsBehind, type SinkKey } from './sink-positions.ts';

export interface SinkDependencies {
  database: Database;
  key: SinkKey;
  moments: readonly JobMoment[];
  filter: MessageFilter;
  /** @throws when the sink did not take the message. */
  deliver: (message: JobMessage) => Promise<void>;
  onDelivered: () => void;
  onFailed: () => void;
  log: Log;
  signal: AbortSignal;
  /** How long a message waits for the outcome that may make its Job a member, in milliseconds. Default: 30 s. */
  memberMs?: number;
}

/** An outcome is recorded at once, or when the activity is tried again. */
const MEMBER_MS = 30_000;

/** Milliseconds between two checks. */
const LOOK_MS = 500;
const BACKOFF = { firstMs: 500, longestMs: 30_000 };

/** The most records that a transaction searches. */
const RECORDS = 5000n;

/**
 * Delivers what a sink is to be told of each Job in the tables, at least once and in the order of its partition. Several processes share
 * the partitions: each locks the one that it delivers from. A failed delivery is repeated until it succeeds, and holds up
 * its own partition only.
 */
export async function keepSink(dependencies: SinkDependencies): Promise<void> {
  const { key, onFailed, log, signal } = dependencies;
  const wait = waitFor(dependencies.memberMs ?? MEMBER_MS);
  const warn = logFailures(log, 'a message about a Job is not delivered; trying again', { sink: key.sink });
  while (!signal.aborted) {
    await retry(() => deliverAll(dependencies, wait), {
      signal,
      backoff: BACKOFF,
      shouldRetry: () => true,
      onFailedAttempt: (error, failures) => {
        onFailed();
        warn(error, failures);
      },
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    await pause(LOOK_MS, signal);
  }
}

/** @throws the first failure, after trying all partitions. */
async function deliverAll(dependencies: SinkDependencies, wait: Wait): Promise<void> {
  const { database, key, signal } = dependencies;
  await beginAtEnds(database.run, key);
  const failures: unknown[] = [];
  for (const partition of await partitionsBehind(database.run, key)) {
    let isLeft = true;
    while (isLeft && !signal.aborted) {
      const result = await database.transaction((run) =>
        deliverSome({ ...dependencies, wait }, run, partition),
      );
      isLeft = result.isLeft;
      if (result.failure !== null) failures.push(result.failure.error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

interface Delivered {
  /** More deliveries are due now. */
  isLeft: boolean;
  failure: { error: unknown } | null;
}

/** Delivers the next messages of one partition. Returns a failure, so that the deliveries before it are committed. */
async function deliverSome(
  dependencies: SinkDependencies & { wait: Wait },
  run: Run,
  partition: number,
): Promise<Delivered> {
  const { key, moments, wait } = dependencies;
  const span = await lockedSpan(run, key, partition);
  if (span === null) return { isLeft: false, failure: null };
  const to = span.to < span.from + RECORDS ? span.to : span.from + RECORDS;
  const { found, end } = await recordedMoments(run, { ...span, to }, moments);
  // All of them wait at the same time.
  const [held] = found.filter(({ mayBeMember }) => mayBeMember).filter(({ eventId }) => wait(eventId));
  const until = held === undefined ? end : BigInt(held.offset);
  const due = found.filter(({ offset }) => BigInt(offset) < until);
  const { count, failed, failure } = await deliverInOrder(dependencies, due);
  const next = failed === null ? until : BigInt(failed.offset);
  await moveSink(run, key, { partition, next, isDelivered: count > 0 });
  return { isLeft: failure === null && held === undefined && next < span.to, failure };
}

/** Delivers what passes the filter, up to the first failure. */
async function deliverInOrder(
  { filter, deliver, onDelivered }: SinkDependencies,
  due: readonly FoundMoment[],
): Promise<{ count: number; failed: FoundMoment | null; failure: Delivered['failure'] }> {
  let count = 0;
  for (const each of due) {
    const message = jobMessage(each);
    if (!passes(filter, message)) continue;
    try {
      await deliver(message);
    } catch (error) {
      return { count, failed: each, failure: { error } };
    }
    onDelivered();
    count += 1;
  }
  return { count, failed: null, failure: null };
}

/** Whether a message, by the id of its event, waits longer. */
type Wait = (id: string) => boolean;

/** Each message waits for this time, from when it was first found. */
function waitFor(ms: number): Wait {
  const since = new Map<string, number>();
  return (id) => {
    const found = since.get(id) ?? performance.now();
    since.set(id, found);
    // A message that waited longer was delivered, or is found again.
    for (const [each, at] of since) if (performance.now() - at > 2 * ms) since.delete(each);
    return performance.now() - found < ms;
  };
}
