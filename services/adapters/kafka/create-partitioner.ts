import { Partitioners } from 'kafkajs';
import type { KafkaConnection } from './connection.ts';

/** Returns the function that maps a key to its partition of the ledger, as the producer does. */
export function createPartitioner({ topics, config }: KafkaConnection): (key: string) => number {
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
