import type { KafkaConnection } from '../adapters/kafka/connection.ts';

/** Who shares the partitions of a ledger. Installations with ledgers of their own may share one Kafka. */
export function groupOf({ topics }: KafkaConnection, reader: 'dispatcher' | 'projector'): string {
  return `${topics.ledger}.${reader}`;
}

/** Offset of the ledger before which a group has committed everything, by partition; 0 where it committed nothing. */
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
