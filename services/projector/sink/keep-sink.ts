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
}

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
  const warn = logFailures(log, 'the end of a Job is not delivered; trying again', { sink: key.sink });
  while (!signal.aborted) {
    await retry(() => deliverAll(dependencies), {
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
async function deliverAll(dependencies: SinkDependencies): Promise<void> {
  const { database, key, signal } = dependencies;
  await beginAtEnds(database.run, key);
  const failures: unknown[] = [];
  for (const partition of await partitionsBehind(database.run, key)) {
    let isLeft = true;
    while (isLeft && !signal.aborted) {
      const result = await database.transaction((run) => deliverSome(dependencies, run, partition));
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
  { key, deliver, onDelivered }: SinkDependencies,
  run: Run,
  partition: number,
): Promise<Delivered> {
  const span = await lockedSpan(run, key, partition);
  if (span === null) return { isLeft: false, failure: null };
  const to = span.to < span.from + RECORDS ? span.to : span.from + RECORDS;
  const jobs = await recordedEnds(run, { ...span, to }, DELIVERIES);
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
  if (failure === null && jobs.length < DELIVERIES) next = to;
  await moveSink(run, key, { partition, next, isDelivered });
  return { isLeft: failure === null && next < span.to, failure };
}
