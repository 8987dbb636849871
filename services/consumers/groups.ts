import type { KafkaConnection } from '../adapters/kafka/connection.ts';

/** The consumer group of a reader. The name includes the ledger's topic, because installations may share one Kafka. */
export function consumerGroup({ topics }: KafkaConnection, reader: 'dispatcher' | 'projector'): string {
  return `${topics.ledger}.${reader}`;
}

/** For Kafka's protocol. */
const NONE = '-1';

/** The committed offsets of a group, by partition; empty if no offset was committed, or if Kafka has deleted the group. */
export async function committedOffsets(
  { kafka, topics }: KafkaConnection,
  groupId: string,
): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const [ledger] = await admin.fetchOffsets({ groupId, topics: [topics.ledger] });
    return new Map(
      (ledger?.partitions ?? [])
        .filter(({ offset }) => offset !== NONE)
        .map(({ partition, offset }) => [partition, BigInt(offset)]),
    );
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
