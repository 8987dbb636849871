import type { ConnectionOptions } from 'node:tls';
import { Kafka, logLevel, type RequestEvent, type SASLOptions } from 'kafkajs';
import { readSettingFile, type KafkaConfig } from '../config.ts';
import { isReadableByOthers } from '../network/address.ts';
import { InputError } from '../errors.ts';
import type { Log } from '../process/log.ts';
import type { KafkaClient } from './client-library.ts';
import { checkOnlyWaitingRequests } from './idle-connections.ts';
import { addZstd } from './compression.ts';
import { neverAskForAllTopics } from './no-metadata-of-all-topics.ts';
import { oauthTokens } from './oauth.ts';

/** A Kafka client and the names of the topics of the installation. */
export interface KafkaConnection<Client extends KafkaClient = KafkaClient> {
  kafka: Client;
  topics: Topics;
  config: KafkaConfig;
  log: Log;
  /**
   * Reading to an end fails after this time without a record, in milliseconds. By default, the reader waits for Kafka
   * without limit, and logs the wait.
   */
  readLimitMs?: number;
}

export interface Topics {
  /** The ledger: every event, keyed `<cluster>/<job uid>`. */
  ledger: string;
  /**
   * A compacted topic: the live Jobs and pods of each cluster, and the resourceVersion up to which each watch is appended.
   */
  live: string;
  /** The records of the ledger that could not be read, with the reasons. */
  deadLetters: string;
  /** A compacted topic: the feature level of the installation. */
  features: string;
}

/** Receives the name of every request that Kafka has responded to, in Kafka's protocol, such as `Produce` or `Fetch`. */
export type KafkaRequestObserver = (api: string) => void;

export interface ConnectOptions {
  /** A part of the client id, by which brokers set quotas and name clients; `cli` by default. */
  service?: string;
  observe?: KafkaRequestObserver;
}

/** Creates a client, which connects later. @throws InputError for unusable SASL or TLS settings. */
export function connectKafka(
  config: KafkaConfig,
  log: Log,
  { service = 'cli', observe }: ConnectOptions = {},
): KafkaConnection<Kafka> {
  const [ssl, sasl] = [tlsOptions(config), saslOptions(config)];
  const ledger = config.JOBLEDGER_LEDGER_TOPIC;
  checkOnlyWaitingRequests();
  neverAskForAllTopics();
  addZstd();
  const kafka = new Kafka({
    clientId: `jobledger-${ledger}-${service}`,
    brokers: config.KAFKA_BROKERS,
    connectionTimeout: 3000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2000, retries: 5 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) =>
      log.debug({ kafka: entry.log.message, error: entry.log['error'] as unknown }, 'kafka client'),
    ...(ssl === undefined ? {} : { ssl }),
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

/**
 * Observes every new producer, consumer and admin of a client, because kafkajs does not report the requests of a whole
 * client.
 */
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

/** The TLS options; undefined without TLS. */
function tlsOptions(config: KafkaConfig): ConnectionOptions | undefined {
  const { KAFKA_TLS_CA: ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = config;
  if ((cert === undefined) !== (key === undefined))
    throw new InputError('KAFKA_TLS_CERT and KAFKA_TLS_KEY must be set together');
  if (config.KAFKA_TLS !== 'true' && ca === undefined && cert === undefined) return undefined;
  return {
    ...(ca !== undefined && { ca: [readSettingFile('KAFKA_TLS_CA', ca)] }),
    ...(cert !== undefined && { cert: readSettingFile('KAFKA_TLS_CERT', cert) }),
    ...(key !== undefined && { key: readSettingFile('KAFKA_TLS_KEY', key) }),
  };
}

function saslOptions(config: KafkaConfig): SASLOptions | undefined {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
    KAFKA_OAUTH_TOKEN_URL: tokenUrl,
    KAFKA_OAUTH_SCOPE: scope,
  } = config;
  if (mechanism === undefined) return undefined;
  if (username === undefined || password === undefined) {
    throw new InputError('KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD');
  }
  if (tlsOptions(config) === undefined && config.KAFKA_SASL_WITHOUT_TLS !== 'true')
    throw new InputError(
      'KAFKA_SASL_MECHANISM without TLS would send credentials in plain text: set KAFKA_TLS=true, or KAFKA_SASL_WITHOUT_TLS=true to allow it',
    );
  if (mechanism !== 'oauthbearer') return { mechanism, username, password };
  if (tokenUrl === undefined)
    throw new InputError(
      'KAFKA_SASL_MECHANISM=oauthbearer needs KAFKA_OAUTH_TOKEN_URL, which issues the tokens',
    );
  if (isReadableByOthers(tokenUrl) && config.KAFKA_SASL_WITHOUT_TLS !== 'true')
    throw new InputError(
      'KAFKA_OAUTH_TOKEN_URL without TLS would receive the secret of the client in plain text: use https://, or set KAFKA_SASL_WITHOUT_TLS=true to allow it',
    );
  const client = { tokenUrl, clientId: username, clientSecret: password, scope };
  return { mechanism, oauthBearerProvider: oauthTokens(client) };
}
