import type { Message } from 'kafkajs';
import { UnavailableError } from '../errors.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { encodeEvent } from '../event-codec.ts';
import { SUPPORTED_LEVELS } from '../feature-levels.ts';
import type { KafkaConnection } from './connection.ts';
import { connectProducer, type LedgerProducer } from './producer.ts';

/** An append that Kafka has not acknowledged by then has failed; the caller repeats it, ids make that harmless. */
const LIMIT_MS = 4000;

/** A quarter of the largest record batch that the topics take; a larger record goes alone. */
const BATCH_BYTES = 1024 * 1024;

/** Throws when nothing may be sent any more. Asked right before each send, whatever that had to wait for. */
export type Permit = () => void;

export interface Appender {
  /** Appends in order; resolves when all in-sync replicas have them. @throws UnavailableError. */
  append(events: readonly JobEvent[], permit?: Permit): Promise<void>;
  /** Appends records of our own to another topic. */
  write(topic: string, messages: readonly Message[], permit?: Permit): Promise<void>;
  close(): Promise<void>;
}

/**
 * `onAppended` hears of the events that Kafka has taken; `level` is the feature level, which says in which version a type
 * is written. Sends take turns, and one that failed takes its producer with it: kafkajs gives a batch whose answer was
 * lost its sequence number once more, but also to a batch that comes in between, which the broker then takes for the
 * repeat and drops (docs/decisions/0030).
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
      // Nothing is on its way any more: a broker that is away just now is not waited for.
      await unlessAborted(AbortSignal.timeout(LIMIT_MS), Promise.resolve(disconnected)).catch(
        () => undefined,
      );
    },
  };
}

/** @throws when the work has failed, or is not done in time; then it goes on unheard. */
async function unlessAborted<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  const tooLate = new Promise<never>((_resolve, reject) => {
    const refuse = (): void => reject(new Error(`no acknowledgement within ${LIMIT_MS} ms`));
    if (limit.aborted) refuse();
    else limit.addEventListener('abort', refuse, { once: true });
  });
  work.catch(() => undefined);
  tooLate.catch(() => undefined);
  return Promise.race([work, tooLate]);
}

/** In order, each as large as Kafka takes at once: what goes to one partition goes as one record batch. */
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
