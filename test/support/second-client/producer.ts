import {
  compatibilityPartitioner,
  Producer,
  type BaseOptions,
  type CompressionAlgorithmValue,
  type MessageToProduce,
} from '@platformatic/kafka';
import type { Message, ProducerConfig, RecordMetadata, TopicMessages } from 'kafkajs';
import type { UsedProducer } from '../../../services/adapters/kafka/client-library.ts';
import { asKafkajs } from './errors.ts';

/** The codecs that we use, by their values in Kafka's protocol. */
const CODECS: Readonly<Record<number, CompressionAlgorithmValue>> = { 1: 'gzip', 4: 'zstd' };

type Partitioner = (topic: string, message: Message) => number;

export function secondProducer(options: BaseOptions, { createPartitioner }: ProducerConfig): UsedProducer {
  const producer = new Producer({ ...options, idempotent: true, autocreateTopics: false });
  const choose = createPartitioner?.();
  const readPartitioner = async (topics: string[]): Promise<Partitioner> => {
    const metadata = await producer.metadata({ topics });
    return (topic, message) => {
      const known = metadata.topics.get(topic)?.partitions ?? [];
      const partitionMetadata = known.map(({ leader, replicas, isr }, partitionId) => ({
        partitionErrorCode: 0,
        partitionId,
        leader,
        replicas,
        isr,
      }));
      return choose === undefined
        ? (message.partition ?? compatibilityPartitioner({ topic }, toBuffer(message.key)) % known.length)
        : choose({ topic, partitionMetadata, message });
    };
  };
  const send = async (
    topicMessages: readonly TopicMessages[],
    compression: CompressionAlgorithmValue,
  ): Promise<RecordMetadata[]> => {
    const choosePartition = await readPartitioner(topicMessages.map(({ topic }) => topic));
    const messages = topicMessages.flatMap(({ topic, messages: all }) =>
      all.map((message) => asProduced(topic, message, choosePartition(topic, message))),
    );
    const { offsets = [] } = await producer.send({ messages, acks: -1, compression });
    return offsets.map(({ topic, partition, offset }) => ({
      topicName: topic,
      partition,
      errorCode: 0,
      baseOffset: String(offset),
    }));
  };
  return {
    // It connects at the first request; this one finds out whether it may.
    connect: () => asKafkajs(producer.metadata({ topics: [] }).then(() => undefined)),
    sendBatch: ({ topicMessages = [], compression = 0 }) =>
      asKafkajs(send(topicMessages, CODECS[compression] ?? 'none')),
    disconnect: () => producer.close(),
  };
}

function asProduced(topic: string, { key, value, timestamp }: Message, partition: number): MessageToProduce {
  const record = {
    topic,
    partition,
    value: toBuffer(value),
    ...(timestamp !== undefined && { timestamp: BigInt(timestamp) }),
  };
  return (key === undefined || key === null ? record : { ...record, key: toBuffer(key) }) as MessageToProduce;
}

function toBuffer(content: Buffer | string | null | undefined): Buffer | undefined {
  return typeof content === 'string' ? Buffer.from(content) : (content ?? undefined);
}
