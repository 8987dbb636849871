import type { KafkaRequestObserver } from '../kafka/connection.ts';
import type { Metrics } from './metrics.ts';

/** Counts requests to Kafka by their names in Kafka's protocol. */
export function kafkaRequestCounter(metrics: Metrics): KafkaRequestObserver {
  const count = metrics.counter({
    name: 'jobledger_kafka_requests_total',
    help: 'Requests that Kafka has responded to, by their name in the protocol of Kafka.',
    labels: ['api'],
  });
  return (api) => count({ api });
}
