import { Kafka, logLevel, type RequestEvent, type SASLOptions } from 'kafkajs';
import { fileOf, type KafkaConfig } from '../config.ts';
import { InputError } from '../errors.ts';
import type { Log } from '../log.ts';

/** A Kafka client and the names of our topics. */
export interface KafkaConnection {
  kafka: Kafka;
  topics: Topics;
  config: KafkaConfig;
  log: Log;
}

export interface Topics {
  /** The ledger: every event, keyed `<cluster>/<job uid>`. */
  ledger: string;
  /**
   * Compacted: which Jobs and pods are alive in each cluster, and the resourceVersion up to which each watch is
   * appended.
   */
  live: string;
  /** Records of the ledger that could not be read, with the reason. */
  deadLetters: string;
  /** Compacted: the feature level of the installation. */
  features: string;
}

/** Called for every request that Kafka has responded to, with its name in Kafka's protocol: `Produce`, `Fetch`. */
export type KafkaRequestObserver = (api: string) => void;

/** Does not connect yet. @throws InputError for unusable SASL or TLS settings. */
export function connectKafka(config: KafkaConfig, log: Log, observe?: KafkaRequestObserver): KafkaConnection {
  const sasl = saslOf(config);
  const ledger = config.JOBLEDGER_LEDGER_TOPIC;
  const kafka = new Kafka({
    clientId: 'jobledger',
    brokers: config.KAFKA_BROKERS,
    connectionTimeout: 3000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2000, retries: 5 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) =>
      log.debug({ kafka: entry.log.message, error: entry.log['error'] as unknown }, 'kafka client'),
    ...(config.KAFKA_TLS === 'true' || config.KAFKA_TLS_CA !== undefined
      ? {
          ssl:
            config.KAFKA_TLS_CA === undefined ? true : { ca: [fileOf('KAFKA_TLS_CA', config.KAFKA_TLS_CA)] },
        }
      : {}),
    ...(sasl === undefined ? {} : { sasl }),
  });
  if (observe !== undefined) observeRequests(kafka, observe);
  return {
    kafka,
    config,
    log,
    topics: {
      ledger,
      live: `${ledger}.live`,
      deadLetters: `${ledger}.dead-letters`,
      features: `${ledger}.features`,
    },
  };
}

/** kafkajs reports requests for each producer, consumer and admin, not for all of a client. */
function observeRequests(kafka: Kafka, observe: KafkaRequestObserver): void {
  const { producer, consumer, admin } = kafka;
  const onRequest = ({ payload }: RequestEvent): void => observe(payload.apiName);
  kafka.producer = (options) => {
    const made = producer.call(kafka, options);
    made.on(made.events.REQUEST, onRequest);
    return made;
  };
  kafka.consumer = (options) => {
    const made = consumer.call(kafka, options);
    made.on(made.events.REQUEST, onRequest);
    return made;
  };
  kafka.admin = (options) => {
    const made = admin.call(kafka, options);
    made.on(made.events.REQUEST, onRequest);
    return made;
  };
}

function saslOf(config: KafkaConfig): SASLOptions | undefined {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = config;
  if (mechanism === undefined) return undefined;
  if (username === undefined || password === undefined) {
    throw new InputError('KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD');
  }
  return { mechanism, username, password };
}
