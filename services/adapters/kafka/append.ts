import type { Message, TopicMessages } from 'kafkajs';
import { UnavailableError } from '../errors.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { encodeEvent } from '../events/event-codec.ts';
import { firstWithin } from '../first-within.ts';
import { SUPPORTED_LEVELS } from '../events/feature-levels.ts';
import type { KafkaConnection } from './connection.ts';
import { createLinger } from './linger.ts';
import { connectProducer, type LedgerProducer } from './producer.ts';

/**
 * An append that Kafka has not acknowledged within this time, in milliseconds, fails. The caller repeats the append;
 * event ids make repeats harmless.
 */
const LIMIT_MS = 4000;

/** A quarter of the largest record batch that the topics accept. A larger record is sent alone. */
const BATCH_BYTES = 1024 * 1024;

/** Under load, the pause between two requests, in milliseconds. */
const LINGER_MS = 10;

/** Runs right before each send, after all waits, and throws when this process must not send any more. */
export type Permit = () => void;

export interface Appender {
  /** Appends events in order; resolves when all in-sync replicas have the events. @throws UnavailableError. */
  append(events: readonly LedgerEvent[], permit?: Permit): Promise<void>;
  /** Appends other records to another topic. */
  write(topic: string, messages: readonly Message[], permit?: Permit): Promise<void>;
  close(): Promise<void>;
}

/** Unsent messages, and the promise of the caller that waits for their acknowledgement. */
interface PendingSend {
  topic: string;
  messages: Message[];
  bytes: number;
  permit: Permit | undefined;
  /** The signal that is aborted at the deadline for the acknowledgement. */
  limit: AbortSignal;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * `onAppended` receives the events that Kafka has acknowledged. `level` returns the feature level, which selects the version of
 * each event. One request is sent at a time, with all records that arrived during the previous request and, under
 * load, a moment later (group commit). After a failed request, its producer is discarded: when a response was lost,
 * kafkajs reuses the sequence number for the retry, but also for a batch sent in between, which the broker then drops
 * as a duplicate (docs/decisions/0030).
 */
export async function createAppender(
  { kafka, topics, config }: KafkaConnection,
  onAppended: (events: readonly LedgerEvent[]) => void = () => undefined,
  level: () => number = () => SUPPORTED_LEVELS.min,
): Promise<Appender> {
  let producer: Promise<LedgerProducer> | null = null;
  const connectIfNeeded = (): Promise<LedgerProducer> => {
    if (producer !== null) return producer;
    producer = connectProducer(kafka, {
      topic: topics.ledger,
      count: config.JOBLEDGER_LEDGER_PARTITIONS,
    });
    producer.catch(() => {
      producer = null;
    });
    return producer;
  };
  await connectIfNeeded();
  const queue: PendingSend[] = [];
  const linger = createLinger(LINGER_MS);
  const closed = new AbortController();
  let sending: Promise<void> | null = null;

  const send = async (group: readonly PendingSend[], limit: AbortSignal): Promise<void> => {
    const current = await waitUnlessAborted(limit, connectIfNeeded());
    const permitted = group.filter(isPermitted);
    if (permitted.length === 0) return;
    const sent = current.send(...groupByTopic(permitted));
    try {
      await waitUnlessAborted(limit, sent);
    } catch (error) {
      producer = null;
      void sent.then(current.disconnect, current.disconnect).catch(() => undefined);
      throw error;
    }
    for (const { resolve } of permitted) resolve();
  };
  const sendQueued = async (): Promise<void> => {
    for (let [first] = queue; first !== undefined; [first] = queue) {
      const group = nextGroup(queue);
      await send(group, first.limit).catch((error: unknown) => {
        for (const { reject } of group) reject(error);
      });
      // A large request needs no further records to be efficient.
      if (sum(group.map(({ bytes }) => bytes)) < BATCH_BYTES / 4) await linger(closed.signal);
    }
    sending = null;
  };
  const enqueue = (batch: Pick<PendingSend, 'topic' | 'messages' | 'permit'>): Promise<void> =>
    new Promise((resolve, reject) => {
      const limit = AbortSignal.timeout(LIMIT_MS);
      queue.push({ ...batch, bytes: sum(batch.messages.map(messageBytes)), limit, resolve, reject });
      sending ??= sendQueued();
    });
  const write: Appender['write'] = async (topic, messages, permit) => {
    try {
      for (const batch of toBatches(messages)) await enqueue({ topic, messages: batch, permit });
    } catch (cause) {
      throw new UnavailableError(`Kafka did not accept records for ${topic}`, { cause });
    }
  };
  return {
    write,
    async append(events, permit) {
      const records = events.map((event) => encodeEvent(event, level()));
      await write(topics.ledger, records, permit);
      onAppended(events);
    },
    async close() {
      closed.abort();
      await sending;
      const disconnected = producer?.then(({ disconnect }) => disconnect());
      // No request is in flight now, so an unreachable broker does not block the close.
      await waitUnlessAborted(AbortSignal.timeout(LIMIT_MS), Promise.resolve(disconnected)).catch(
        () => undefined,
      );
    },
  };
}

/**
 * Takes from the queue, in order, as many messages as fit in the next request. Entries past their deadline are sent on their
 * own.
 */
function nextGroup(queue: PendingSend[]): PendingSend[] {
  if (queue[0]?.limit.aborted === true) return queue.splice(0, 1);
  return queue.splice(0, firstWithin(queue, ({ bytes }) => bytes, BATCH_BYTES).length);
}

/** True when the entry may still be sent; rejects an entry that may not. */
function isPermitted({ permit, reject }: PendingSend): boolean {
  try {
    permit?.();
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}

/** The messages of each topic, in order. */
function groupByTopic(group: readonly PendingSend[]): TopicMessages[] {
  const byTopic = new Map<string, Message[]>();
  for (const { topic, messages } of group) byTopic.set(topic, [...(byTopic.get(topic) ?? []), ...messages]);
  return [...byTopic].map(([topic, messages]) => ({ topic, messages }));
}

/**
 * Waits for `work`. @throws when the work fails or `limit` aborts first; the later result of the work is then ignored.
 */
async function waitUnlessAborted<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  const tooLate = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(new Error(`no acknowledgement within ${LIMIT_MS} ms`));
    if (limit.aborted) fail();
    else limit.addEventListener('abort', fail, { once: true });
  });
  work.catch(() => undefined);
  tooLate.catch(() => undefined);
  return Promise.race([work, tooLate]);
}

/**
 * Splits messages into batches, in order, each as large as Kafka accepts. The messages for one partition make one
 * record batch.
 */
export function toBatches(messages: readonly Message[]): Message[][] {
  const batches: Message[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = messageBytes(message);
    if (bytes + size > BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(message);
    bytes += size;
  }
  return batches;
}

function messageBytes({ key, value }: Message): number {
  return Buffer.byteLength(value ?? '') + Buffer.byteLength(key ?? '');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
