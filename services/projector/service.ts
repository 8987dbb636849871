import { kafkaEnvironment, migrateEnvironment, postgresEnvironment, readConfig } from '../adapters/config.ts';
import { errorMessage } from '../adapters/errors.ts';
import { createAppender } from '../adapters/kafka/append.ts';
import { connectKafka } from '../adapters/kafka/connection.ts';
import { createRequireReach } from '../consumers/reach.ts';
import { openFeatureLevel } from '../installation/feature-level.ts';
import { horizonIn } from '../installation/horizon.ts';
import { consumerGroup } from '../consumers/groups.ts';
import { subscribe } from '../adapters/kafka/subscribe.ts';
import { keepTopics } from '../adapters/kafka/topics.ts';
import type { Log } from '../adapters/process/log.ts';
import { metricsEnvironment, openMetrics } from '../adapters/metrics/endpoint.ts';
import { kafkaRequestCounter } from '../adapters/metrics/kafka-requests.ts';
import { showLag } from '../consumers/ledger-metrics.ts';
import { reportStopped } from '../adapters/metrics/stopped-partitions.ts';
import { openDatabase, waitForPostgres, type Database } from '../adapters/postgres/database.ts';
import { refuseInput, type ServiceContext, type Service } from '../adapters/process/run-service.ts';
import { retryUntilAvailable } from '../adapters/waiting/retry.ts';
import { appliedPositions } from '../read-model/state/positions.ts';
import { requireSameCluster } from '../read-model/state/same-cluster.ts';
import { requireSchema } from '../read-model/state/schema.ts';
import { createConsume } from './consume.ts';
import { deadLetterCounter, createSetAside, letterFields } from '../consumers/dead-letters.ts';
import { batchCounter } from './metrics.ts';
import { followPositions } from './follow-positions.ts';
import { showGuards } from './guards.ts';
import { keepHorizon } from './horizon/keep-horizon.ts';
import { keepMissedStarts } from './missed-starts/keep.ts';
import { keepUsage } from './keep-usage.ts';
import { keepWatches } from './keep-watches.ts';
import { keepMembersMarked } from './mark-members.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS_FOLDER } from './migrations.ts';
import { createEnsureMonths } from './months.ts';
import { hasReader, READER } from './reader.ts';
import { openTracing, tracingEnvironment } from '../adapters/tracing/tracing.ts';
import { storeTeams, teamsEnvironment } from './teams.ts';
import { traceRows } from './trace-rows.ts';
import { sinkEnvironment, readSinkSettings } from './sink/config.ts';
import { CONNECTIONS_OF_SINK, keepSinks } from './sink/keep-sinks.ts';

/**
 * The extra delay of the tables under load, in milliseconds, which makes transactions and fetches several times larger.
 */
const LINGER_MS = 300;

const configuration = kafkaEnvironment
  .extend(postgresEnvironment.shape)
  .extend(migrateEnvironment.shape)
  .extend(sinkEnvironment.shape)
  .extend(teamsEnvironment.shape)
  .extend(metricsEnvironment.shape)
  .extend(tracingEnvironment.shape);

export const service: Service = { name: 'projector', start: startProjector };

async function startProjector({
  environment,
  log,
  shutdown,
  refuse,
  announceReady,
}: ServiceContext): Promise<void> {
  const config = readConfig(configuration, environment);
  const sinks = readSinkSettings(config, environment);
  const metrics = await openMetrics(config, { log, shutdown });
  const connection = connectKafka(config, log, {
    service: 'projector',
    observe: kafkaRequestCounter(metrics),
  });
  const database = openDatabase(config, log, { name: 'jobledger projector' });
  shutdown.onClose('Postgres', () => database.close());

  await waitForPostgres(database, log, shutdown.signal);
  if (config.JOBLEDGER_MIGRATE === 'true') await migrateSchema(database, log, shutdown.signal);
  else await requireSchema(database.run);
  if (!(await hasReader(database.run))) {
    log.warn({ role: READER }, 'this user may not create the role for dashboards; see docs/sql.md');
  }

  await storeTeams(database, config.JOBLEDGER_TEAMS, config.JOBLEDGER_TEAM_LABEL);
  await keepTopics(connection, { signal: shutdown.signal });
  const installation = await openFeatureLevel(connection, { signal: shutdown.signal, onTooOld: refuse });
  const appender = await createAppender(connection);
  shutdown.onClose('Kafka appender', () => appender.close());
  const cluster = await retryUntilAvailable('Kafka or Postgres', { log, signal: shutdown.signal }, () =>
    requireSameCluster(database.run, connection),
  );
  const record = await openTracing(config, { service: 'projector', log, shutdown });
  const onApplied = record === null ? undefined : traceRows(record);
  const ledger = { database, topic: connection.topics.ledger, cluster, onApplied };
  const countLetter = deadLetterCounter(metrics);
  const consume = createConsume({
    ledger,
    setAside: createSetAside(appender, connection.topics, {
      by: 'projector',
      onOpened: (letter) => {
        log.warn(letterFields(letter), 'a record of the ledger was moved to the dead letters');
        countLetter(letter);
      },
    }),
    ensureMonths: createEnsureMonths(database, { log }),
    log,
    signal: shutdown.signal,
    onApplied: batchCounter(metrics),
    onFatal: (error) => {
      log.error({ error: errorMessage(error) }, 'the projector cannot continue');
      shutdown.stop(1);
    },
  });
  const requireReach = createRequireReach(connection, 'projector', { signal: shutdown.signal });
  const subscription = await subscribe(connection, {
    topic: connection.topics.ledger,
    groupId: consumerGroup(connection, 'projector'),
    lingerMs: LINGER_MS,
    concurrency: config.JOBLEDGER_LEDGER_PARTITIONS,
    onBatch: consume.onBatch,
    readPosition: async (partition, isStale) => {
      const position = await consume.readPosition(partition, isStale);
      if (position !== null) await requireReach(partition, position).catch(refuseInput(refuse));
      return position;
    },
    ...reportStopped(metrics, { reader: 'projector', topic: connection.topics.ledger, log }),
  });
  const positions = (): Promise<Map<number, bigint>> => appliedPositions(database.run, ledger.topic);
  showLag(metrics, { kafka: connection, reader: 'projector', positions, signal: shutdown.signal });
  const { signal } = shutdown;
  showGuards(metrics, { run: database.run, log, signal });
  const horizon = (): string | null => horizonIn(installation.records());
  const kept = keepHorizon({ database, connection, horizon, signal });
  shutdown.onClose('horizon', () => kept);
  if (sinks.length > 0) {
    // The sink has its own connections, because a slow sink must not keep the connections of the projections.
    const ofSinks = openDatabase(config, log, {
      name: 'jobledger sinks',
      connections: sinks.length * CONNECTIONS_OF_SINK,
    });
    shutdown.onClose('Postgres for sinks', () => ofSinks.close());
    const delivered = keepSinks(sinks, { database: ofSinks, topic: ledger.topic, metrics, log, signal });
    shutdown.onClose('sinks', () => delivered);
  }
  const followed = followPositions(consume, subscription, { log, signal });
  shutdown.onClose('positions', () => followed);
  const marked = keepMembersMarked(database.run, { log, signal });
  shutdown.onClose('members', () => marked);
  const counted = keepUsage(database, { log, signal });
  shutdown.onClose('usage', () => counted);
  const watched = keepWatches(database.run, { connection, log, signal });
  shutdown.onClose('watches', () => watched);
  const missed = keepMissedStarts(database, { connection, log, signal });
  shutdown.onClose('missed starts', () => missed);
  shutdown.onClose('Kafka reader', () => subscription.close());
  announceReady({ partitions: await subscription.assigned });
}

async function migrateSchema(database: Database, log: Log, signal: AbortSignal): Promise<void> {
  const applied = await migrate(database, MIGRATIONS_FOLDER, { report: (line) => log.info(line), signal });
  if (applied.length > 0) log.info({ migrations: applied }, 'the schema was migrated');
}
