import { Partitioners, type PartitionerArgs, type TopicMessages } from 'kafkajs';
import type { KafkaClient } from './client-library.ts';
import { CODECS } from './compression.ts';

/**
 * Requests of at least this size, in bytes, are compressed (docs/decisions/0048). Brokers compare `max.message.bytes` with the
 * compressed size.
 */
const ZSTD_FROM = 1024;

/** A connected producer. The caller must send one request at a time. */
export interface LedgerProducer {
  /** Resolves when all in-sync replicas of every partition have the records. */
  send(...topicMessages: TopicMessages[]): Promise<void>;
  disconnect(): Promise<void>;
}

/** The topic in which only the first partitions are used, and the number of these partitions. */
export interface UsedPartitions {
  topic: string;
  count: number;
}

/** An idempotent producer that waits for all in-sync replicas. */
export async function connectProducer(kafka: KafkaClient, used?: UsedPartitions): Promise<LedgerProducer> {
  /** The partitions of the records of a request, each as `<topic> <partition>`. */
  const partitions = new Set<string>();
  const producer = kafka.producer({
    idempotent: true,
    allowAutoTopicCreation: false,
    maxInFlightRequests: 1,
    retry: { retries: 5, maxRetryTime: 1000 },
    createPartitioner: () => {
      const choosePartition = Partitioners.DefaultPartitioner();
      return (record: PartitionerArgs) => {
        const partition = choosePartition(withinUsedPartitions(record, used));
        partitions.add(`${record.topic} ${partition}`);
        return partition;
      };
    },
  });
  await producer.connect();
  return {
    async send(...topicMessages) {
      partitions.clear();
      const responses = await producer.sendBatch({
        acks: -1,
        topicMessages,
        ...(messagesBytes(topicMessages) >= ZSTD_FROM && { compression: CODECS.zstd }),
      });
      // When a partition moves during a retry to a broker that has already responded, kafkajs does not send its records
      // again, because it tracks brokers, not partitions.
      const acknowledged = new Set(responses.map(({ topicName, partition }) => `${topicName} ${partition}`));
      const missing = [...partitions].filter((partition) => !acknowledged.has(partition));
      if (missing.length > 0) throw new Error(`no acknowledgement for the partitions ${missing.join(', ')}`);
    },
    disconnect: () => producer.disconnect(),
  };
}

/**
 * Limits the choice to the used partitions, so that a key stays in its partition when an operator adds partitions to
 * the topic, even while this process runs.
 */
function withinUsedPartitions(record: PartitionerArgs, used: UsedPartitions | undefined): PartitionerArgs {
  if (record.topic !== used?.topic || record.partitionMetadata.length <= used.count) return record;
  const partitionMetadata = record.partitionMetadata.filter(({ partitionId }) => partitionId < used.count);
  return { ...record, partitionMetadata };
}

function messagesBytes(topicMessages: readonly TopicMessages[]): number {
  let bytes = 0;
  for (const { messages } of topicMessages)
    for (const { value } of messages) bytes += Buffer.byteLength(value ?? '');
  return bytes;
}
