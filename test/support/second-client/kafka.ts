import type { BaseOptions } from '@platformatic/kafka';
import type { KafkaConfig } from '../../../services/adapters/config.ts';
import type { KafkaClient } from '../../../services/adapters/kafka/client-library.ts';
import { secondAdmin } from './admin.ts';
import { secondConsumer } from './consumer.ts';
import { secondProducer } from './producer.ts';

/**
 * The Kafka client `@platformatic/kafka` in the shape in which we use kafkajs, without TLS and SASL mechanisms other than PLAIN.
 * SECURITY.md has the steps of a switch.
 */
export function secondClient(
  { KAFKA_BROKERS, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD }: KafkaConfig,
  name = 'jobledger-second-client',
): KafkaClient {
  const options: BaseOptions = {
    clientId: name,
    bootstrapBrokers: KAFKA_BROKERS,
    connectTimeout: 3000,
    requestTimeout: 10_000,
    // An idempotent producer would retry for ever without a number above 1.
    retries: 5,
    retryDelay: 200,
    ...(KAFKA_SASL_USERNAME !== undefined &&
      KAFKA_SASL_PASSWORD !== undefined && {
        sasl: { mechanism: 'PLAIN', username: KAFKA_SASL_USERNAME, password: KAFKA_SASL_PASSWORD },
      }),
  };
  return {
    producer: (wanted) => secondProducer(options, wanted),
    consumer: (wanted) => secondConsumer(options, wanted),
    admin: () => secondAdmin(options),
  };
}
