import { messageOf } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import { backoffMs, logFailures, retry } from '../../adapters/waiting/retry.ts';
import { RefusedMessageError } from './deliver.ts';
import { passes, type MessageFilter } from './filter.ts';
import { jobMessage, type JobMessage, type JobMoment } from './message.ts';
import { recordedMoments } from './recorded.ts';
import { searchLedger } from './search-ledger.ts';
import {
  claimMessages,
  claimNext,
  postponeMessage,
  removeMessage,
  type WaitingMessage,
} from './sink-messages.ts';
import type { SinkKey } from './sink-positions.ts';

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
  /** After which another process may deliver a message that this one has claimed, in milliseconds. Default: 40 s. */
  claimMs?: number;
}

/** An outcome is recorded at once, or when the activity is tried again. */
const MEMBER_MS = 30_000;
/** The first wait for it. Each further one is as long as all before. */
const MEMBER_FIRST_MS = 200;

/** Long enough for two deliveries, one after the other. */
const CLAIM_MS = 40_000;

/** Milliseconds between two searches, and between two looks for messages that are due. */
const LOOK_MS = 500;
/** After an error of Postgres. */
const DATABASE_BACKOFF = { firstMs: 500, longestMs: 30_000 };

/** The most deliveries at the same time, of messages that failed before, and of a namespace. */
const [AT_ONCE, REPEATED_AT_ONCE, OF_NAMESPACE_AT_ONCE] = [32, 16, 4];

/** Between two attempts of the first message of a queue. */
const BACKOFF = { firstMs: 500, longestMs: 30_000 };
/**
 * After this number of failures, the sink is also sent the next message of the queue, and again whenever the number has doubled: when an outage
 * ends in between, it gets the two in the wrong order.
 */
const HOLDING_FAILURES = 3;
/** After these failures, for a message that waits aside or whose content is refused. */
const LONG_BACKOFF = { firstMs: 2000, longestMs: 600_000 };
/** A message whose content was refused this often is left out, if the sink took a later one of its queue, and if it took none. */
const [MOST_REFUSALS_ASIDE, MOST_REFUSALS] = [6, 20];

/**
 * Delivers what a sink is to be told of each Job in the tables, at least once. The messages about a namespace in a partition are a queue:
 * they are delivered in the order of the ledger, and wait for no other queue. A failed delivery is repeated until it succeeds, and holds up
 * its queue only, until the sink takes a later message of it: then it waits aside. A message that may turn out to be about a member waits
 * aside too. Several processes share the work.
 */
export async function keepSink(dependencies: SinkDependencies): Promise<void> {
  const { key, onFailed, log, signal } = dependencies;
  const warn = logFailures(log, 'a message about a Job is not delivered; trying again', { sink: key.sink });
  const repeatedly = async (work: () => Promise<void>): Promise<void> => {
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
  await Promise.all([
    repeatedly(async () => {
      await searchLedger(dependencies);
      await pause(LOOK_MS, signal);
    }),
    repeatedly(() => deliverDue({ ...dependencies, warn }, running)),
  ]);
  await Promise.all([...running.values()].map(({ ended }) => ended));
}

interface Delivering extends SinkDependencies {
  warn: ReturnType<typeof logFailures>;
}

/** A message that is being delivered. */
interface Running {
  message: WaitingMessage;
  /** Never rejects. */
  ended: Promise<void>;
}

/** Begins the deliveries that are due and for which there is room; with none, waits for the next one. @throws an error of Postgres. */
async function deliverDue(delivering: Delivering, running: Map<string, Running>): Promise<void> {
  const { database, key, claimMs = CLAIM_MS, signal } = delivering;
  let begun = 0;
  for (const hasFailed of [false, true]) {
    const messages = [...running.values()].map(({ message }) => message);
    const repeated = messages.filter(({ failures }) => failures > 0).length;
    const most = Math.min(AT_ONCE - messages.length, hasFailed ? REPEATED_AT_ONCE - repeated : AT_ONCE);
    if (most <= 0) continue;
    const except = crowded(messages);
    const claimed = await claimMessages(database.run, key, { claimMs, hasFailed, most, except });
    for (const message of claimed) {
      const id = `${message.partition}/${message.offset}/${message.moment}`;
      // Its delivery took longer than the claim.
      if (running.has(id)) continue;
      const ended = deliverOne(delivering, message).finally(() => running.delete(id));
      running.set(id, { message, ended });
      begun += 1;
    }
  }
  if (begun > 0) return;
  await Promise.race([pause(LOOK_MS, signal), ...[...running.values()].map(({ ended }) => ended)]);
}

/** The namespaces, as `<cluster>/<namespace>`, with as many deliveries as one may have. */
function crowded(messages: readonly WaitingMessage[]): string[] {
  const names = messages.map(({ cluster, namespace }) => `${cluster}/${namespace}`);
  const counts = Map.groupBy(names, (name) => name);
  return [...counts].flatMap(([name, each]) => (each.length >= OF_NAMESPACE_AT_ONCE ? [name] : []));
}

/** Delivers a claimed message, and stores what came of it. Never rejects: without that, the message is claimed again later. */
async function deliverOne(delivering: Delivering, message: WaitingMessage): Promise<void> {
  const { onFailed, warn, signal } = delivering;
  try {
    const attempt = await attemptDelivery(delivering, message);
    if (attempt.result === 'failed') await keepFailed(delivering, message, attempt);
  } catch (error) {
    // Of Postgres: no failure of the message.
    if (signal.aborted) return;
    onFailed();
    warn(error, 1);
  }
}

interface Failure {
  result: 'failed';
  /** Of the message. */
  id: string;
  error: unknown;
}
type Attempt = Failure | { result: 'delivered' | 'not due' | 'not wanted' };

/** Delivers a message, and removes it unless that failed or it is not due. @throws an error of Postgres. */
async function attemptDelivery(delivering: Delivering, message: WaitingMessage): Promise<Attempt> {
  const { database, key, filter, deliver, onDelivered, log, memberMs = MEMBER_MS } = delivering;
  const { partition, offset, moment, ageMs, isAside } = message;
  const record = { partition, from: BigInt(offset), to: BigInt(offset) + 1n };
  const [recorded] = (await recordedMoments(database.run, record, [moment])).found;
  if (recorded?.mayBeMember === true && isAside && ageMs < memberMs) {
    const ms = Math.min(Math.max(ageMs, MEMBER_FIRST_MS), memberMs - ageMs);
    await postponeMessage(database.run, key, { ...message, ms });
    return { result: 'not due' };
  }
  const content = recorded === undefined ? null : jobMessage(recorded);
  // What waited aside may have turned out to be about a member.
  if (content === null && !isAside)
    log.warn(
      { sink: key.sink, partition, offset },
      'a message is left out: its event is in the tables no longer',
    );
  if (content === null || !passes(filter, content)) {
    await removeMessage(database.run, key, { ...message, isDelivered: false });
    return { result: 'not wanted' };
  }
  try {
    await deliver(content);
  } catch (error) {
    return { result: 'failed', id: content.id, error };
  }
  onDelivered();
  await removeMessage(database.run, key, { ...message, isDelivered: true });
  return { result: 'delivered' };
}

/** Decides when a message that failed is tried again, and whether later ones wait for it. @throws an error of Postgres. */
async function keepFailed(
  delivering: Delivering,
  message: WaitingMessage,
  { id, error }: Failure,
): Promise<void> {
  const { database, key, onFailed, log, warn, signal } = delivering;
  if (signal.aborted) return postponeMessage(database.run, key, { ...message, ms: 0 });
  const failures = message.failures + 1;
  onFailed();
  warn(error, failures);
  const fields = { sink: key.sink, message: id, error: messageOf(error) };
  const isRefused = error instanceof RefusedMessageError;
  if (isRefused && failures >= (message.isAside ? MOST_REFUSALS_ASIDE : MOST_REFUSALS)) {
    log.error(fields, 'the sink refuses this message; it is left out');
    return removeMessage(database.run, key, { ...message, isDelivered: false });
  }
  const isAside = message.isAside || (isProbing(failures) && (await takesNext(delivering, message)));
  if (isAside && !message.isAside)
    log.warn(fields, 'the sink takes other messages, but not this one; it waits');
  const ms =
    failures >= HOLDING_FAILURES && (isAside || isRefused)
      ? backoffMs(failures - HOLDING_FAILURES + 1, LONG_BACKOFF)
      : backoffMs(failures, BACKOFF);
  await postponeMessage(database.run, key, { ...message, failures, isAside, ms });
}

/** Whether these failures are three, six, twelve and so on. */
function isProbing(failures: number): boolean {
  return Number.isInteger(Math.log2(failures / HOLDING_FAILURES)) && failures >= HOLDING_FAILURES;
}

/** Whether the sink takes the next message of the queue. @throws an error of Postgres. */
async function takesNext(delivering: Delivering, message: WaitingMessage): Promise<boolean> {
  const { database, key, claimMs = CLAIM_MS } = delivering;
  const next = await claimNext(database.run, key, message, claimMs);
  if (next === null) return false;
  const { result } = await attemptDelivery(delivering, next);
  if (result === 'failed') await postponeMessage(database.run, key, { ...next, ms: 0 });
  return result === 'delivered';
}
