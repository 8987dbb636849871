import { Partitioners } from 'kafkajs';
import type { KafkaConnection } from './connection.ts';

/** Tells the partition of the ledger in which the events of a key stand: the one that the producer chooses. */
export function partitionerOf({ topics, config }: KafkaConnection): (key: string) => number {
  const choose = Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from(
    { length: config.JOBLEDGER_LEDGER_PARTITIONS },
    (_none, partitionId) => ({
      partitionErrorCode: 0,
      partitionId,
      leader: 0,
      replicas: [],
      isr: [],
    }),
  );
  return (key) => choose({ topic: topics.ledger, partitionMetadata, message: { key, value: null } });
}
