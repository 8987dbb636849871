import { messageOf } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { Database, Run } from '../../adapters/postgres/database.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import { RefusedMessageError } from './deliver.ts';
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

/** A message whose content was refused this often is left out: others of its partition wait, and their Jobs did not write it. */
const MOST_REFUSALS = 3;

/** The most records of a partition whose messages wait, and of those that have waited longest, how many are read again at once. */
const [MOST_ASIDE, ASIDE_AT_ONCE] = [500, 20];

/**
 * Delivers what a sink is to be told of each Job in the tables, at least once and in the order of its partition. Several processes share
 * the partitions: each locks the one that it delivers from. A failed delivery is repeated until it succeeds, and holds up
 * its own partition only. A message that may turn out to be about a member waits aside; one whose content is refused again and again is left
 * out.
 */
export async function keepSink(given: SinkDependencies): Promise<void> {
  const dependencies: Delivering = { ...given, refusals: new Map() };
  const { key, onFailed, log, signal } = dependencies;
  const warn = logFailures(log, 'a message about a Job is not delivered; trying again', { sink: key.sink });
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

interface Delivering extends SinkDependencies {
  /** How often the content of a message was refused, by its id: of the first undelivered one of each partition. */
  refusals: Map<string, number>;
}

/** @throws the first failure, after trying all partitions. */
async function deliverAll(dependencies: Delivering): Promise<void> {
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

/** Delivers the next messages of one partition. Returns a failure, so that the deliveries before it are committed. */
async function deliverSome(dependencies: Delivering, run: Run, partition: number): Promise<Delivered> {
  const { key, moments, memberMs = MEMBER_MS } = dependencies;
  const span = await lockedSpan(run, key, partition);
  if (span === null) return { isLeft: false, failure: null };
  const { from, now } = span;
  const to = span.to < from + RECORDS ? span.to : from + RECORDS;
  const looked = span.aside.slice(0, ASIDE_AT_ONCE);
  const returned: FoundMoment[] = [];
  for (const { offset } of looked) {
    const record = { partition, from: BigInt(offset), to: BigInt(offset) + 1n };
    returned.push(...(await recordedMoments(run, record, moments)).found);
  }
  const { found, end } = await recordedMoments(run, { partition, from, to }, moments);
  const waiting = [
    ...looked.filter(({ offset, since }) => now - since < memberMs && mayBeMembers(offset, returned)),
    ...newlyAside(found, MOST_ASIDE - span.aside.length).map((offset) => ({ offset, since: now })),
  ];
  const due = [...returned, ...found].filter((each) => waiting.every(({ offset }) => offset !== each.offset));
  const { count, failed, failure } = await deliverInOrder(dependencies, due);
  const undelivered = failed === null ? end : BigInt(failed.offset);
  const next = undelivered < from ? from : undelivered;
  const aside = [
    ...looked.filter((each) => waiting.includes(each) || BigInt(each.offset) >= undelivered),
    ...span.aside.slice(ASIDE_AT_ONCE),
    ...waiting.filter(({ offset }) => BigInt(offset) >= from && BigInt(offset) < next),
  ];
  await moveSink(run, key, { partition, next, aside, isDelivered: count > 0 });
  return { isLeft: failure === null && next < span.to, failure };
}

function mayBeMembers(offset: string, found: readonly FoundMoment[]): boolean {
  return found.some((each) => each.offset === offset && each.mayBeMember);
}

/** The offsets of records whose Jobs may be members. Those for which no place is left do not wait. */
function newlyAside(found: readonly FoundMoment[], places: number): string[] {
  const offsets = found.filter(({ mayBeMember }) => mayBeMember).map(({ offset }) => offset);
  return [...new Set(offsets)].slice(0, Math.max(0, places));
}

/** Delivers what passes the filter, up to the first failure. */
async function deliverInOrder(
  { key, filter, deliver, onDelivered, onFailed, refusals, log }: Delivering,
  due: readonly FoundMoment[],
): Promise<{ count: number; failed: FoundMoment | null; failure: Delivered['failure'] }> {
  let count = 0;
  for (const each of due) {
    const message = jobMessage(each);
    if (!passes(filter, message)) continue;
    try {
      await deliver(message);
    } catch (error) {
      const refused = error instanceof RefusedMessageError ? (refusals.get(message.id) ?? 0) + 1 : 0;
      if (refused < MOST_REFUSALS) {
        if (refused > 0) refusals.set(message.id, refused);
        return { count, failed: each, failure: { error } };
      }
      refusals.delete(message.id);
      onFailed();
      log.error(
        { sink: key.sink, message: message.id, error: messageOf(error) },
        'the sink refuses this message; it is left out',
      );
      continue;
    }
    refusals.delete(message.id);
    onDelivered();
    count += 1;
  }
  return { count, failed: null, failure: null };
}
