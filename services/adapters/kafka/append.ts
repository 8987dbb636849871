import type { Message } from 'kafkajs';
import { UnavailableError } from '../errors.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { encodeEvent } from '../event-codec.ts';
import { SUPPORTED_LEVELS } from '../feature-levels.ts';
import type { KafkaConnection } from './connection.ts';
import { connectProducer, type LedgerProducer } from './producer.ts';

/**
 * An append that Kafka has not acknowledged within this time, in milliseconds, fails. The caller repeats it; event ids
 * make repeats harmless.
 */
const LIMIT_MS = 4000;

/** A quarter of the largest record batch that the topics accept. A larger record is sent alone. */
const BATCH_BYTES = 1024 * 1024;

/** Throws when sending is no longer allowed. Called right before each send, after all waiting. */
export type Permit = () => void;

export interface Appender {
  /** Appends in order; resolves when all in-sync replicas have the events. @throws UnavailableError. */
  append(events: readonly JobEvent[], permit?: Permit): Promise<void>;
  /** Appends other records to another topic. */
  write(topic: string, messages: readonly Message[], permit?: Permit): Promise<void>;
  close(): Promise<void>;
}

/**
 * `onAppended` receives the events that Kafka has acknowledged. `level` returns the feature level, which selects the
 * version of each event. Sends run one at a time, and a failed send discards its producer: when a response was lost,
 * kafkajs reuses the sequence number for the retry, but also for a batch sent in between, which the broker then drops
 * as a duplicate (docs/decisions/0030).
 */
export async function createAppender(
  { kafka, topics }: KafkaConnection,
  onAppended: (events: readonly JobEvent[]) => void = () => undefined,
  level: () => number = () => SUPPORTED_LEVELS.min,
): Promise<Appender> {
  let producer: Promise<LedgerProducer> | null = null;
  const connected = (): Promise<LedgerProducer> => {
    if (producer !== null) return producer;
    producer = connectProducer(kafka);
    producer.catch(() => {
      producer = null;
    });
    return producer;
  };
  let turn: Promise<unknown> = connected();
  await turn;

  const send = async (
    { topic, messages, permit }: { topic: string; messages: Message[]; permit: Permit | undefined },
    limit: AbortSignal,
  ): Promise<void> => {
    const current = await unlessAborted(limit, connected());
    permit?.();
    const sent = current.send(topic, messages);
    try {
      await unlessAborted(limit, sent);
    } catch (error) {
      producer = null;
      void sent.then(current.disconnect, current.disconnect).catch(() => undefined);
      throw error;
    }
  };
  const sendInTurn = (record: Parameters<typeof send>[0]): Promise<void> => {
    const limit = AbortSignal.timeout(LIMIT_MS);
    const sent = turn.then(() => send(record, limit));
    turn = sent.catch(() => undefined);
    return sent;
  };
  const write: Appender['write'] = async (topic, messages, permit) => {
    try {
      for (const batch of batchesOf(messages)) await sendInTurn({ topic, messages: batch, permit });
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
      await turn;
      const disconnected = producer?.then(({ disconnect }) => disconnect());
      // Nothing is in flight any more, so an unreachable broker does not block the close.
      await unlessAborted(AbortSignal.timeout(LIMIT_MS), Promise.resolve(disconnected)).catch(
        () => undefined,
      );
    },
  };
}

/** @throws when the work fails or `limit` aborts first. In the latter case its later result is ignored. */
async function unlessAborted<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
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
export function batchesOf(messages: readonly Message[]): Message[][] {
  const batches: Message[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = Buffer.byteLength(message.value ?? '') + Buffer.byteLength(message.key ?? '');
    if (bytes + size > BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(message);
    bytes += size;
  }
  return batches;
}
