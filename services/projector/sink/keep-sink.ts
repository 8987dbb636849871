import { errorMessage } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import { backoffMs, logFailures, retry } from '../../adapters/waiting/retry.ts';
import { RefusedMessageError } from './deliver.ts';
import { passesFilter, type MessageFilter } from './filter.ts';
import { jobMessage, type JobMessage, type MessageType } from './message.ts';
import { readOccurrences } from './recorded.ts';
import { searchLedger } from './search-ledger.ts';
import {
  claimMessages,
  claimNext,
  FIRST_PLACE,
  placeBehind,
  postponeMessage,
  queuesBehind,
  removeMessage,
  type QueuedMessage,
  type QueuePlace,
  type WaitingMessage,
} from './sink-messages.ts';
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
  lookMs?: number;
}

/** The default of `memberMs`, which covers an outcome that is recorded only when the activity is tried again. */
const MEMBER_MS = 30_000;
/** The first wait for such an outcome, in milliseconds. Each further wait is as long as all earlier waits together. */
const MEMBER_FIRST_MS = 200;

/** The default of `claimMs`, which covers two deliveries, one after the other. */
const CLAIM_MS = 40_000;

const LOOK_MS = 500;
/** The waits after an error of Postgres. */
const DATABASE_BACKOFF = { firstMs: 500, longestMs: 30_000 };

/** The most queues that are read in one step. */
const QUEUES = 256;

/** The most deliveries at the same time: of all messages, of messages that failed before, and of one namespace. */
const [AT_ONCE, REPEATED_AT_ONCE, OF_NAMESPACE_AT_ONCE] = [32, 16, 4];

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

/**
 * Delivers the messages of a sink about each Job in the tables, at least once. The messages about a namespace in a
 * partition are a queue: they are delivered in the order of the ledger, and wait for no other queue. A failed delivery
 * is repeated until it succeeds, and delays only its queue. If the sink accepts a later message of the queue, the
 * failed message is out of order, and later messages do not wait for it. A message that may turn out to be about a
 * member is out of order too. Several processes share the work.
 */
export async function keepSink(dependencies: SinkDependencies): Promise<void> {
  const { key, onFailed, log, signal, lookMs = LOOK_MS } = dependencies;
  const warn = logFailures(log, 'a message about a Job is not delivered; trying again', { sink: key.sink });
  const repeatUntilAborted = async (work: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      await retry(work, {
        signal,
        backoff: DATABASE_BACKOFF,
        shouldRetry: () => true,
        onFailedAttempt: (error, failures) => {
          onFailed();
          warn(error, failures);
        },
      }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  };
  const running = new Map<string, Running>();
  const rounds = [false, true].map((hasFailed) => ({ hasFailed, place: FIRST_PLACE, begun: 0 }));
  await Promise.all([
    repeatUntilAborted(async () => {
      await searchLedger(dependencies);
      await pause(lookMs, signal);
    }),
    repeatUntilAborted(() => deliverDue({ ...dependencies, warn }, running, rounds)),
  ]);
  await Promise.all([...running.values()].map(({ ended }) => ended));
}

interface Delivering extends SinkDependencies {
  warn: ReturnType<typeof logFailures>;
}

/** A message that is being delivered. */
interface Running {
  message: WaitingMessage;
  /** Resolves when the delivery has ended, and never rejects. */
  ended: Promise<void>;
}

/**
 * A round through all queues. One round delivers the messages that failed before, and another round delivers the other
 * messages.
 */
interface Round {
  hasFailed: boolean;
  place: QueuePlace;
  /** The number of deliveries that this process has begun in this round. */
  begun: number;
}

/**
 * Begins the due deliveries while the limits allow; if none can begin, waits for the end of a delivery. @throws an
 * error of Postgres.
 */
async function deliverDue(
  delivering: Delivering,
  running: Map<string, Running>,
  rounds: readonly Round[],
): Promise<void> {
  const { lookMs = LOOK_MS, signal } = delivering;
  let isIdle = true;
  for (const round of rounds) isIdle = (await continueRound(delivering, running, round)) && isIdle;
  if (isIdle) await Promise.race([pause(lookMs, signal), ...[...running.values()].map(({ ended }) => ended)]);
}

/**
 * Begins the due deliveries in the next queues of a round, which continues behind the namespace that had its turn last,
 * so that no namespace waits for more than one turn of each other namespace. Returns true when no delivery is due at
 * present. @throws an error of Postgres.
 */
async function continueRound(
  delivering: Delivering,
  running: Map<string, Running>,
  round: Round,
): Promise<boolean> {
  const { database, key, claimMs = CLAIM_MS } = delivering;
  const messages = [...running.values()].map(({ message }) => message);
  const repeated = messages.filter(({ failureCount }) => failureCount > 0).length;
  const room = Math.min(AT_ONCE - messages.length, round.hasFailed ? REPEATED_AT_ONCE - repeated : AT_ONCE);
  if (room <= 0) return true;
  const queues = await queuesBehind(database.run, key, { place: round.place, most: QUEUES });
  const { turns, next } = takeTurns(queues, { hasFailed: round.hasFailed, messages, room });
  round.place = next;
  if (turns.length > 0)
    round.begun += beginDeliveries(
      delivering,
      running,
      await claimMessages(database.run, key, turns, claimMs),
    );
  if (next !== FIRST_PLACE) return false;
  const isIdle = round.begun === 0;
  round.begun = 0;
  return isIdle;
}

/** Chooses one due message of each namespace that may begin a delivery, and the place where the round continues. */
function takeTurns(
  queues: readonly QueuedMessage[],
  { hasFailed, messages, room }: { hasFailed: boolean; messages: readonly WaitingMessage[]; room: number },
): { turns: QueuedMessage[]; next: QueuePlace } {
  const counts = Map.groupBy(messages, namespaceKey);
  const namespaces = [...Map.groupBy(queues, namespaceKey)];
  let next = queues.length < QUEUES ? FIRST_PLACE : (queues.at(-1) ?? FIRST_PLACE);
  // The last namespace may have further queues, and gets its turn only when all its queues were read.
  if (next !== FIRST_PLACE && namespaces.length > 1) {
    namespaces.pop();
    next = placeBehind(namespaces.at(-1)?.[1][0] ?? next);
  }
  const turns: QueuedMessage[] = [];
  for (const [name, each] of namespaces) {
    const due = each.filter(({ isDue, failureCount }) => isDue && failureCount > 0 === hasFailed);
    const [first] = due.toSorted((one, other) => other.ageMs - one.ageMs);
    if (first === undefined || (counts.get(name)?.length ?? 0) >= OF_NAMESPACE_AT_ONCE) continue;
    turns.push(first);
    if (turns.length === room) return { turns, next: placeBehind(first) };
  }
  return { turns, next };
}

function namespaceKey({ cluster, namespace }: WaitingMessage): string {
  return `${cluster}/${namespace}`;
}

/** Begins the deliveries of claimed messages, and returns their number. */
function beginDeliveries(
  delivering: Delivering,
  running: Map<string, Running>,
  claimed: readonly WaitingMessage[],
): number {
  let begun = 0;
  for (const message of claimed) {
    const id = `${message.partition}/${message.offset}/${message.type}`;
    // The earlier delivery of the message took longer than its claim and is still running.
    if (running.has(id)) continue;
    const ended = deliverOne(delivering, message).finally(() => running.delete(id));
    running.set(id, { message, ended });
    begun += 1;
  }
  return begun;
}

/**
 * Delivers a claimed message, and stores the result. The promise never rejects: without a result, the message is
 * claimed again later.
 */
async function deliverOne(delivering: Delivering, message: WaitingMessage): Promise<void> {
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
