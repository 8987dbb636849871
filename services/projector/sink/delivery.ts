import { errorMessage } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import { backoffMs, logFailures } from '../../adapters/waiting/retry.ts';
import { RefusedMessageError } from './post-message.ts';
import { passesFilter, type MessageFilter } from './filter.ts';
import { jobMessage, type JobMessage, type MessageType } from './message.ts';
import { readOccurrences } from './recorded.ts';
import { claimNext, postponeMessage, removeMessage, type WaitingMessage } from './sink-messages.ts';
import type { SinkKey } from './sink-positions.ts';

export interface SinkDependencies {
  database: Database;
  key: SinkKey;
  types: readonly MessageType[];
  filter: MessageFilter;
  /** Delivers a message. @throws when the sink did not accept the message. */
  deliver: (message: JobMessage) => Promise<void>;
  onDelivered: () => void;
  onFailed: () => void;
  log: Log;
  signal: AbortSignal;
  /**
   * The time for which a message waits for the outcome that may make its Job a member, in milliseconds. The default is
   * 30 s.
   */
  memberMs?: number;
  /**
   * The time after which another process may deliver a message that this process has claimed, in milliseconds.
   * Default: 40 s.
   */
  claimMs?: number;
  /** The time between two searches, and between two looks for due messages, in milliseconds. Default: 500. */
  pollMs?: number;
}

/** The default of `memberMs`, which covers an outcome that is recorded only when the activity is tried again. */
const MEMBER_MS = 30_000;

/** The first wait for such an outcome, in milliseconds. Each further wait is as long as all earlier waits together. */
const MEMBER_FIRST_MS = 200;

/** The default of `claimMs`, which covers two deliveries, one after the other. */
export const CLAIM_MS = 40_000;

/** The waits between two attempts to deliver the first message of a queue. */
const BACKOFF = { firstMs: 500, longestMs: 30_000 };

/**
 * The number of failures after which the next message of the queue is also sent to the sink. The next message is sent
 * again whenever the number has doubled. If an outage ends in between, the sink gets the two messages in the wrong
 * order.
 */
const HOLDING_FAILURES = 3;

/** The waits between two attempts to deliver a message that is out of order or whose content is refused. */
const LONG_BACKOFF = { firstMs: 2000, longestMs: 600_000 };

/**
 * The number of refusals after which a message is left out: the first number if the sink accepted a later message of
 * the queue, and the second number otherwise.
 */
const [MOST_REFUSALS_OUT_OF_ORDER, MOST_REFUSALS] = [6, 20];

export interface Delivering extends SinkDependencies {
  warn: ReturnType<typeof logFailures>;
}

/**
 * Delivers a claimed message, and stores the result. The promise never rejects: without a result, the message is
 * claimed again later.
 */
export async function deliverOne(delivering: Delivering, message: WaitingMessage): Promise<void> {
  const { onFailed, warn, signal } = delivering;
  try {
    const attempt = await attemptDelivery(delivering, message);
    if (attempt.result === 'failed') await handleFailedDelivery(delivering, message, attempt);
  } catch (error) {
    // The error is an error of Postgres, and does not count as a failure of the message.
    if (signal.aborted) return;
    onFailed();
    warn(error, 1);
  }
}

interface Failure {
  result: 'failed';
  /** The id of the message. */
  id: string;
  error: unknown;
}

type Attempt = Failure | { result: 'delivered' | 'not due' | 'not wanted' };

/**
 * Delivers a message, and removes the message unless the delivery failed, was not due, or the process ends. @throws
 * an error of Postgres.
 */
async function attemptDelivery(delivering: Delivering, message: WaitingMessage): Promise<Attempt> {
  const {
    database,
    key,
    types,
    filter,
    deliver,
    onDelivered,
    log,
    signal,
    memberMs = MEMBER_MS,
  } = delivering;
  const { partition, offset, type, ageMs, isOutOfOrder } = message;
  if (!types.includes(type)) {
    await removeMessage(database.run, key, message);
    return { result: 'not wanted' };
  }
  const record = { partition, from: BigInt(offset), to: BigInt(offset) + 1n };
  const [recorded] = (await readOccurrences(database.run, record, [type])).found;
  if (recorded?.mayBeMember === true && isOutOfOrder && ageMs < memberMs) {
    const ms = Math.min(Math.max(ageMs, MEMBER_FIRST_MS), memberMs - ageMs);
    await postponeMessage(database.run, key, { ...message, ms });
    return { result: 'not due' };
  }
  const content = recorded === undefined ? null : jobMessage(recorded);
  // A message out of order may have turned out to be about a member, and is then left out without a warning.
  if (content === null && !isOutOfOrder)
    log.warn(
      { sink: key.sink, partition, offset },
      'a message is left out because its event is not in the tables',
    );
  if (content === null || !passesFilter(filter, content)) {
    await removeMessage(database.run, key, message);
    return { result: 'not wanted' };
  }
  if (signal.aborted) {
    await postponeMessage(database.run, key, { ...message, ms: 0 });
    return { result: 'not due' };
  }
  try {
    await deliver(content);
  } catch (error) {
    return { result: 'failed', id: content.id, error };
  }
  onDelivered();
  await removeMessage(database.run, key, message);
  return { result: 'delivered' };
}

/**
 * Decides when a failed message is sent again, and whether later messages wait for it. @throws an error of Postgres.
 */
async function handleFailedDelivery(
  delivering: Delivering,
  message: WaitingMessage,
  { id, error }: Failure,
): Promise<void> {
  const { database, key, onFailed, log, warn, signal } = delivering;
  if (signal.aborted) return postponeMessage(database.run, key, { ...message, ms: 0 });
  const failureCount = message.failureCount + 1;
  onFailed();
  warn(error, failureCount);
  const fields = { sink: key.sink, message: id, error: errorMessage(error) };
  const isRefused = error instanceof RefusedMessageError;
  if (isRefused && failureCount >= (message.isOutOfOrder ? MOST_REFUSALS_OUT_OF_ORDER : MOST_REFUSALS)) {
    log.error(fields, 'the sink refuses this message; it is left out');
    return removeMessage(database.run, key, message);
  }
  const isOutOfOrder =
    message.isOutOfOrder || (isProbeDue(failureCount) && (await acceptsNext(delivering, message)));
  if (isOutOfOrder && !message.isOutOfOrder)
    log.warn(fields, 'the sink accepts other messages, but not this message, which waits');
  const ms =
    failureCount >= HOLDING_FAILURES && (isOutOfOrder || isRefused)
      ? backoffMs(failureCount - HOLDING_FAILURES + 1, LONG_BACKOFF)
      : backoffMs(failureCount, BACKOFF);
  await postponeMessage(database.run, key, { ...message, failureCount, isOutOfOrder, ms });
}

/** True when the number of failures is three, six, twelve and so on. */
function isProbeDue(failures: number): boolean {
  return Number.isInteger(Math.log2(failures / HOLDING_FAILURES)) && failures >= HOLDING_FAILURES;
}

/** True when the sink accepts the next message of the queue. @throws an error of Postgres. */
async function acceptsNext(delivering: Delivering, message: WaitingMessage): Promise<boolean> {
  const { database, key, claimMs = CLAIM_MS } = delivering;
  const next = await claimNext(database.run, key, message, claimMs);
  if (next === null) return false;
  const { result } = await attemptDelivery(delivering, next);
  if (result === 'failed') await postponeMessage(database.run, key, { ...next, ms: 0 });
  return result === 'delivered';
}
