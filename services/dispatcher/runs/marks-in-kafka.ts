import type { Appender } from '../../adapters/kafka/append.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { encodeLiveRecord, scanLiveTopic } from '../../live-topic/live-topic.ts';
import { batchCalls } from '../../adapters/waiting/batched.ts';
import type { MarkStore } from './marks.ts';

/** Stores marks in the live topic. The topic is read once, because this process then knows its own writes. */
export function marksInKafka(
  kafka: KafkaConnection,
  appender: Pick<Appender, 'write'>,
): MarkStore & { forget: () => void } {
  const known = new Map<number, number>();
  const look = batchCalls(async (partitions: ReadonlySet<number>) => {
    const found = new Map<number, number>();
    await scanLiveTopic(kafka, ({ kind, key, value }) => {
      if (kind === 'mark' && typeof value === 'number') found.set(Number(key), value);
    });
    return new Map([...partitions].map((partition) => [partition, found.get(partition) ?? null]));
  });
  return {
    read: async (partition) => known.get(partition) ?? (await look(partition)) ?? null,
    async write(partition, mark) {
      const record = { cluster: '', kind: 'mark', key: String(partition), value: mark } as const;
      await appender.write(kafka.topics.live, [encodeLiveRecord(record)]);
      known.set(partition, mark);
    },
    forget: () => known.clear(),
  };
}
