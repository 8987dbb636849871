import type { Message } from 'kafkajs';
import { UnavailableError } from '../errors.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { encodeEvent } from '../event-codec.ts';
import type { KafkaConnection } from './connection.ts';

/** An append that Kafka has not acknowledged by then has failed; the caller repeats it, ids make that harmless. */
const LIMIT_MS = 4000;

/** A quarter of the largest record batch that the topics take; a larger record goes alone. */
const PORTION_BYTES = 1024 * 1024;

export interface Appender {
  /** Appends in order; resolves when all in-sync replicas have them. @throws UnavailableError. */
  append(events: readonly JobEvent[]): Promise<void>;
  /** Appends records of our own to another topic. */
  write(topic: string, messages: readonly Message[]): Promise<void>;
  close(): Promise<void>;
}

/** An idempotent producer with acknowledgement by all in-sync replicas. `onAppended` hears of the events it has taken. */
export async function createAppender(
  { kafka, topics }: KafkaConnection,
  onAppended: (events: readonly JobEvent[]) => void = () => undefined,
): Promise<Appender> {
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    retry: { retries: 5, maxRetryTime: 1000 },
  });
  await producer.connect();

  const write = async (topic: string, messages: readonly Message[]): Promise<void> => {
    for (const portion of portionsOf(messages))
      await withinLimit(producer.send({ topic, acks: -1, messages: portion }), topic);
  };
  return {
    write,
    async append(events) {
      await write(topics.ledger, events.map(encodeEvent));
      onAppended(events);
    },
    close: () => producer.disconnect(),
  };
}

/** In order, each as large as Kafka takes at once: what goes to one partition goes as one record batch. */
export function portionsOf(messages: readonly Message[]): Message[][] {
  const portions: Message[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = Buffer.byteLength(message.value ?? '') + Buffer.byteLength(message.key ?? '');
    if (bytes + size > PORTION_BYTES) {
      portions.push([]);
      bytes = 0;
    }
    portions.at(-1)?.push(message);
    bytes += size;
  }
  return portions;
}

/** kafkajs' idempotent producer retries for ever; the bound is ours. */
async function withinLimit(sent: Promise<unknown>, topic: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no acknowledgement within ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    await Promise.race([sent, limit]);
  } catch (cause) {
    throw new UnavailableError(`Kafka did not accept records for ${topic}`, { cause });
  } finally {
    clearTimeout(timer);
    sent.catch(() => undefined);
  }
}
