import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createSupervisor, type Supervisor } from '../../infra/local/processes/supervisor.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { readEnds } from '../../services/adapters/kafka/scan.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { stampLedger } from '../../services/installation/stamp.ts';
import { retryUntilAvailable } from '../../services/adapters/waiting/retry.ts';
import { serviceChildren, type ServiceName } from '../../cli/verbs/up/service-children.ts';
import { eventually } from './eventually.ts';
import {
  startServers,
  type ServerEnvironment,
  type TestServerOptions,
} from './shared-servers/start-servers.ts';

/** Postgres and Kafka with an empty ledger, without cluster and Temporal. No service runs until a test starts it. */
export interface ALedger {
  stateDir: string;
  /** Addresses of both and the ledger's topic, for verbs and services. */
  environment: ServerEnvironment & { DATABASE_URL: string; KAFKA_BROKERS: string };
  kafka: KafkaConnection;
  /** One connection to Postgres. */
  client: Client;
  services: Supervisor;
  /** Appends records; each partition keeps their order. A batch that Kafka does not acknowledge in time is appended again. */
  append(records: readonly { key: string; value: string; partition?: number }[]): Promise<void>;
  start(service: ServiceName, variables?: Record<string, string>): Promise<void>;
  /** Next offsets of the projector, by partition. */
  positions(): Promise<Map<number, bigint>>;
  /** Resolves when the projector has applied this number of records. Default: all that the ledger contains now. */
  applied(records?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Records per request to Kafka. */
const BATCH = 1000;

export async function startLedger({
  database = 'migrated',
}: Pick<TestServerOptions, 'database'> = {}): Promise<ALedger> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-ledger-'));
  const { servers, environment: found } = await startServers({
    stateDir,
    postgres: true,
    kafka: true,
    database,
  });
  const { DATABASE_URL = '', KAFKA_BROKERS = '' } = found;
  const environment = { ...found, DATABASE_URL, KAFKA_BROKERS };
  const kafka = connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
  await ensureTopics(kafka, new AbortController().signal);
  await stampLedger(kafka);
  const appender = await createAppender(kafka);
  const client = new Client(DATABASE_URL);
  await client.connect();
  const services = createSupervisor({
    runDir: join(stateDir, 'run', 'services'),
    logsDir: join(stateDir, 'logs'),
    report: () => undefined,
  });
  const positions = async (): Promise<Map<number, bigint>> => {
    const { rows } = await client.query<{ partition: number; next: string }>(
      'select partition, next_offset as next from jobledger.positions',
    );
    return new Map(rows.map(({ partition, next }) => [partition, BigInt(next)]));
  };
  return {
    stateDir,
    environment,
    kafka,
    client,
    services,
    positions,
    async append(records) {
      for (let at = 0; at < records.length; at += BATCH)
        await retryUntilAvailable('Kafka', { log: silentLog(), signal: AbortSignal.timeout(60_000) }, () =>
          appender.write(kafka.topics.ledger, records.slice(at, at + BATCH)),
        );
    },
    async start(service, variables = {}) {
      const children = serviceChildren({ ...process.env, ...environment, ...variables });
      for (const child of children.filter(({ name }) => name === service)) await services.start(child);
    },
    async applied(records) {
      const wanted = records ?? sum(await readEnds(kafka, kafka.topics.ledger));
      await eventually(`${wanted} records are applied`, 100, async () =>
        sum(await positions()) >= wanted ? true : undefined,
      );
    },
    async stop() {
      await client.end();
      await services.stop();
      await appender.close();
      await servers.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

function sum(offsets: ReadonlyMap<number, bigint>): bigint {
  return [...offsets.values()].reduce((total, each) => total + each, 0n);
}
