import { UnavailableError } from '../errors.ts';
import type { KafkaConnection } from './connection.ts';
import { subscribe, type LedgerRecord } from './subscribe.ts';

/** Offset after the newest record, by partition. */
export async function endsOf({ kafka }: KafkaConnection, topic: string): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(topic);
    return new Map(
      offsets.filter((each) => each.high !== each.low).map((each) => [each.partition, BigInt(each.high)]),
    );
  } catch (cause) {
    throw new UnavailableError(`Kafka does not tell the end of the topic ${topic}`, { cause });
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** Reads a topic from its beginning to the end it has now, each partition in order. */
export async function scan(
  connection: KafkaConnection,
  topic: string,
  visit: (record: LedgerRecord) => void,
): Promise<void> {
  const remaining = await endsOf(connection, topic);
  if (remaining.size === 0) return;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const subscription = await subscribe(connection, {
    topic,
    positionOf: () => Promise.resolve(0n),
    onBatch: ({ partition, records }) => {
      const end = remaining.get(partition);
      if (end === undefined) return Promise.resolve();
      for (const record of records) if (record.offset < end) visit(record);
      if ((records.at(-1)?.offset ?? -1n) + 1n >= end) remaining.delete(partition);
      if (remaining.size === 0) finish();
      return Promise.resolve();
    },
  });
  await finished;
  await subscription.close();
}
