import { Partitioners, type Kafka, type PartitionerArgs, type TopicMessages } from 'kafkajs';

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
      const responses = await producer.sendBatch({ acks: -1, topicMessages });
      // When a partition moves during a retry to a broker that has already responded, kafkajs does not send its records
      // again, because it tracks brokers, not partitions.
      const acknowledged = new Set(responses.map(({ topicName, partition }) => `${topicName} ${partition}`));
      const missing = [...partitions].filter((partition) => !acknowledged.has(partition));
      if (missing.length > 0) throw new Error(`no acknowledgement for the partitions ${missing.join(', ')}`);
    },
    disconnect: () => producer.disconnect(),
  };
}
