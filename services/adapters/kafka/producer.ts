import {
  Partitioners,
  type CompressionTypes,
  type Kafka,
  type PartitionerArgs,
  type TopicMessages,
} from 'kafkajs';

/** Value of Kafka's protocol. Node cannot import the constants of kafkajs. */
const GZIP: CompressionTypes.GZIP = 1;
/**
 * Requests of at least this size, in bytes, are compressed: brokers compare `max.message.bytes` with what is left. JSON of
 * decisions about many pods becomes a third, of observations less.
 */
const COMPRESSED_FROM = 64 * 1024;

/** A connected producer. Send one request at a time. */
export interface LedgerProducer {
  /** Resolves when all in-sync replicas of every partition have the records. */
  send(...topicMessages: TopicMessages[]): Promise<void>;
  disconnect(): Promise<void>;
}

/** An idempotent producer that waits for all in-sync replicas. */
export async function connectProducer(kafka: Kafka): Promise<LedgerProducer> {
  /** `<topic> <partition>` of the records of a request. */
  const partitions = new Set<string>();
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    retry: { retries: 5, maxRetryTime: 1000 },
    createPartitioner: () => {
      const partitionOf = Partitioners.DefaultPartitioner();
      return (record: PartitionerArgs) => {
        const partition = partitionOf(record);
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
        ...(sizeOf(topicMessages) >= COMPRESSED_FROM && { compression: GZIP }),
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

function sizeOf(topicMessages: readonly TopicMessages[]): number {
  let bytes = 0;
  for (const { messages } of topicMessages)
    for (const { value } of messages) bytes += Buffer.byteLength(value ?? '');
  return bytes;
}
