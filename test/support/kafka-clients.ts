import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { secondClient } from './second-client/kafka.ts';

/** Each client library with which the adapter's tests run, and what puts it behind a connection: services use the first one. */
export const KAFKA_CLIENTS: readonly (readonly [string, (connection: KafkaConnection) => KafkaConnection])[] =
  [
    ['kafkajs', (connection) => connection],
    ['@platformatic/kafka', (connection) => ({ ...connection, kafka: secondClient(connection.config) })],
  ];
