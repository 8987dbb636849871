import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { Database, Run } from '../../adapters/postgres/database.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import { jobEnded, type JobEnded } from './job-ended.ts';
import {
  beginAtEnds,
  recordedEnds,
  lockedSpan,
  moveSink,
  partitionsBehind,
  type SinkKey,
} from './sink-positions.ts';

export interface SinkDependencies {
  database: Database;
  key: SinkKey;
  /** @throws when the sink did not take the event. */
  deliver: (event: JobEnded) => Promise<void>;
  onDelivered: () => void;
  onFailed: () => void;
  log: Log;
  signal: AbortSignal;
  /** How long an end waits for the outcome that may make its Job a member, in milliseconds. Default: 30 s. */
  memberMs?: number;
}

/** An outcome is recorded at once, or when the activity is tried again. */
const MEMBER_MS = 30_000;

/** Milliseconds between two checks. */
const LOOK_MS = 500;
const BACKOFF = { firstMs: 500, longestMs: 30_000 };

/** The most deliveries of a transaction, and the most records that it searches. */
const [DELIVERIES, RECORDS] = [20, 5000n];

/**
 * Delivers each end of a Job in the tables, at least once and in the order of its partition. Several processes share
 * the partitions: each locks the one that it delivers from. A failed delivery is repeated until it succeeds, and holds up
 * its own partition only.
 */
export async function keepSink(dependencies: SinkDependencies): Promise<void> {
  const { key, onFailed, log, signal } = dependencies;
  const wait = waitFor(dependencies.memberMs ?? MEMBER_MS);
  const warn = logFailures(log, 'the end of a Job is not delivered; trying again', { sink: key.sink });
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

/** Delivers the next ends of one partition. Returns a failure, so that the deliveries before it are committed. */
async function deliverSome(
  { key, deliver, onDelivered, wait }: SinkDependencies & { wait: Wait },
  run: Run,
  partition: number,
): Promise<Delivered> {
  const span = await lockedSpan(run, key, partition);
  if (span === null) return { isLeft: false, failure: null };
  const to = span.to < span.from + RECORDS ? span.to : span.from + RECORDS;
  const found = await recordedEnds(run, { ...span, to }, DELIVERIES);
  // All of them wait at the same time.
  const [held] = found.filter((job) => job.mayBeMember).filter((job) => wait(job.eventId));
  const jobs = held === undefined ? found : found.slice(0, found.indexOf(held));
  let [next, failure] = [span.from, null as Delivered['failure']];
  for (const job of jobs) {
    failure = await deliver(jobEnded(job)).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (failure !== null) break;
    onDelivered();
    next = BigInt(job.offset) + 1n;
  }
  const isDelivered = next > span.from;
  if (failure === null && held !== undefined) next = BigInt(held.offset);
  else if (failure === null && found.length < DELIVERIES) next = to;
  await moveSink(run, key, { partition, next, isDelivered });
  return { isLeft: failure === null && held === undefined && next < span.to, failure };
}

/** Whether an end, by the id of its event, waits longer. */
type Wait = (id: string) => boolean;

/** Each end waits for this time, from when it was first found. */
function waitFor(ms: number): Wait {
  const since = new Map<string, number>();
  return (id) => {
    const found = since.get(id) ?? performance.now();
    since.set(id, found);
    // An end that waited longer was delivered, or is found again.
    for (const [each, at] of since) if (performance.now() - at > 2 * ms) since.delete(each);
    return performance.now() - found < ms;
  };
}
