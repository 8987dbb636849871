import type { Admin, AdminConfig, Consumer, ConsumerConfig, Producer, ProducerConfig } from 'kafkajs';

/**
 * The parts of kafkajs that we use. `test/support/second-client` implements the same parts with another client library,
 * against which the adapter's tests run too (SECURITY.md).
 */
export interface KafkaClient {
  producer(options: ProducerConfig): UsedProducer;
  consumer(options: ConsumerConfig): UsedConsumer;
  admin(options?: AdminConfig): UsedAdmin;
}

export type UsedProducer = Pick<Producer, 'connect' | 'sendBatch' | 'disconnect'>;

export type UsedConsumer = Pick<
  Consumer,
  'connect' | 'subscribe' | 'run' | 'on' | 'events' | 'pause' | 'resume' | 'seek' | 'stop' | 'disconnect'
>;

export type UsedAdmin = Pick<
  Admin,
  | 'connect'
  | 'createTopics'
  | 'fetchTopicMetadata'
  | 'fetchTopicOffsets'
  | 'fetchTopicOffsetsByTimestamp'
  | 'describeConfigs'
  | 'alterConfigs'
  | 'describeCluster'
  | 'fetchOffsets'
  | 'deleteGroups'
  | 'disconnect'
>;
