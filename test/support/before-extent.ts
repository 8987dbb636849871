import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';

/** The connection, with something that happens before the extent of the ledger is asked for, for the first time. */
export function withBefore(kafka: KafkaConnection, act: () => Promise<void>): KafkaConnection {
  let hasActed = false;
  const admin = (): ReturnType<typeof kafka.kafka.admin> => {
    const real = kafka.kafka.admin();
    const fetchTopicOffsets: typeof real.fetchTopicOffsets = async (topic) => {
      if (topic === kafka.topics.ledger && !hasActed) {
        hasActed = true;
        await act();
      }
      return real.fetchTopicOffsets(topic);
    };
    return { ...real, fetchTopicOffsets };
  };
  return { ...kafka, kafka: Object.assign(Object.create(kafka.kafka), { admin }) as typeof kafka.kafka };
}
