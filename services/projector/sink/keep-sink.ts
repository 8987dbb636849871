import { pause } from '../../adapters/waiting/pause.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import { searchLedger } from './search-ledger.ts';
import {
  claimMessages,
  FIRST_PLACE,
  placeBehind,
  queuesBehind,
  type QueuedMessage,
  type QueuePlace,
  type WaitingMessage,
} from './sink-messages.ts';
import { type SinkDependencies, type Delivering, CLAIM_MS, deliverOne } from './delivery.ts';

const POLL_MS = 500;

/** The waits after an error of Postgres. */
const DATABASE_BACKOFF = { firstMs: 500, longestMs: 30_000 };

/** The most queues that are read in one step. */
const QUEUES = 256;

/** The most deliveries at the same time: of all messages, of messages that failed before, and of one namespace. */
const [AT_ONCE, REPEATED_AT_ONCE, OF_NAMESPACE_AT_ONCE] = [32, 16, 4];

/**
 * Delivers the messages of a sink about each Job in the tables, at least once. The messages about a namespace in a
 * partition are a queue: they are delivered in the order of the ledger, and wait for no other queue. A failed delivery
 * is repeated until it succeeds, and delays only its queue. If the sink accepts a later message of the queue, the
 * failed message is out of order, and later messages do not wait for it. A message that may turn out to be about a
 * member is out of order too. Several processes share the work.
 */
export async function keepSink(dependencies: SinkDependencies): Promise<void> {
  const { key, onFailed, log, signal, pollMs = POLL_MS } = dependencies;
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
      await pause(pollMs, signal);
    }),
    repeatUntilAborted(() => deliverDue({ ...dependencies, warn }, running, rounds)),
  ]);
  await Promise.all([...running.values()].map(({ ended }) => ended));
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
  const { pollMs = POLL_MS, signal } = delivering;
  let isIdle = true;
  for (const round of rounds) isIdle = (await continueRound(delivering, running, round)) && isIdle;
  if (isIdle) await Promise.race([pause(pollMs, signal), ...[...running.values()].map(({ ended }) => ended)]);
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
