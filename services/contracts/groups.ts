import type { KafkaConnection } from '../adapters/kafka/connection.ts';

/** The consumer group of a reader. The name includes the ledger's topic, because installations may share one Kafka. */
export function groupOf({ topics }: KafkaConnection, reader: 'dispatcher' | 'projector'): string {
  return `${topics.ledger}.${reader}`;
}

/** The committed offsets of a group, by partition; 0 where nothing was committed. */
export async function committedBy(
  { kafka, topics }: KafkaConnection,
  groupId: string,
): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const [ledger] = await admin.fetchOffsets({ groupId, topics: [topics.ledger] });
    return new Map(
      (ledger?.partitions ?? []).map(({ partition, offset }) => [
        partition,
        offset === '-1' ? 0n : BigInt(offset),
      ]),
    );
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
