import { Partitioners, type Kafka, type Message, type PartitionerArgs } from 'kafkajs';

/** A connected producer that takes one send at a time. */
export interface LedgerProducer {
  /** Resolves when all in-sync replicas of every partition have the records. */
  send(topic: string, messages: Message[]): Promise<void>;
  disconnect(): Promise<void>;
}

/** An idempotent producer with acknowledgement by all in-sync replicas. */
export async function connectProducer(kafka: Kafka): Promise<LedgerProducer> {
  const partitions = new Set<number>();
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    retry: { retries: 5, maxRetryTime: 1000 },
    createPartitioner: () => {
      const partitionOf = Partitioners.DefaultPartitioner();
      return (record: PartitionerArgs) => {
        const partition = partitionOf(record);
        partitions.add(partition);
        return partition;
      };
    },
  });
  await producer.connect();
  return {
    async send(topic, messages) {
      partitions.clear();
      const answers = await producer.send({ topic, acks: -1, messages });
      // A partition that moves, while it is tried again, to a broker that has answered is not sent: kafkajs counts brokers.
      const answered = new Set(answers.map(({ partition }) => partition));
      const unanswered = [...partitions].filter((partition) => !answered.has(partition));
      if (unanswered.length > 0)
        throw new Error(`no answer for partitions ${unanswered.join(', ')} of ${topic}`);
    },
    disconnect: () => producer.disconnect(),
  };
}
