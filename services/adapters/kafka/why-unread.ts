import type { KafkaConnection } from './connection.ts';
import { protocolErrorName } from './protocol-error.ts';

/**
 * The reason why a topic cannot be read: it does not exist, or a partition has no leader. Returns null if Kafka does
 * not report the reason.
 */
export async function unreadTopicReason(
  { kafka, config }: KafkaConnection,
  topic: string,
): Promise<string | null> {
  const addresses = config.KAFKA_BROKERS.join(',');
  const admin = kafka.admin({ retry: { retries: 1 } });
  try {
    await admin.connect();
    await admin.fetchTopicMetadata({ topics: [topic] });
    return null;
  } catch (error) {
    const type = protocolErrorName(error);
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION')
      return `Kafka has no topic ${topic}; check JOBLEDGER_LEDGER_TOPIC and KAFKA_BROKERS (${addresses})`;
    // kafkajs does not return partitions without leader.
    if (type === 'LEADER_NOT_AVAILABLE')
      return `a partition of the topic ${topic} has no leader, because its brokers are down; start them (kafka-topics.sh --bootstrap-server ${addresses} --describe --topic ${topic} --unavailable-partitions names them)`;
    throw error;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
