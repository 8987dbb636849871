import { join } from 'node:path';
import {
  claimEnvironment,
  clustersEnvironment,
  kafkaEnvironment,
  leaseEnvironment,
  postgresEnvironment,
  readConfig,
  temporalEnvironment,
} from '../adapters/config.ts';
import { openCertificate } from '../adapters/http/certificate.ts';
import { httpEnvironment, requireAccess } from './access/config.ts';
import { createAuthentication } from './access/authentication.ts';
import { providerOfPage } from './access/provider-of-page.ts';
import { openTokens } from './access/token-file.ts';
import { close, createHttpServer, listen } from '../adapters/http/server.ts';
import { connectKafka } from '../adapters/kafka/connection.ts';
import { openFeatureLevel, type FeatureLevel } from '../installation/feature-level.ts';
import { auditLogEnvironment, createUserNames } from '../audit-log/settings.ts';
import { auditedCounter } from '../audit-log/metrics.ts';
import { stampLedger } from '../installation/stamp.ts';
import { applyPrices } from '../requests/prices/apply-prices.ts';
import { appendUserRequest } from '../requests/user-requests.ts';
import { followWatches } from '../live-topic/watches.ts';
import { createLazyAppender } from '../adapters/kafka/lazy-appender.ts';
import { readEnds as readLedgerEnds } from '../adapters/kafka/scan.ts';
import { createKubernetesClient } from '../adapters/kubernetes/client.ts';
import { connectClusters } from '../adapters/kubernetes/connection.ts';
import { rateLimitEnvironment, configuredRateLimit } from '../adapters/kubernetes/rate-limit.ts';
import { withinNamespaces } from '../adapters/kubernetes/within-namespaces.ts';
import { requestCounter } from '../adapters/metrics/api-requests.ts';
import { metricsEnvironment, openMetrics } from '../adapters/metrics/endpoint.ts';
import { kafkaRequestCounter } from '../adapters/metrics/kafka-requests.ts';
import { openDatabase } from '../adapters/postgres/database.ts';
import { PACKAGE_DIR, VERSION } from '../adapters/process/package-dir.ts';
import { traceAppended } from '../adapters/tracing/event-spans.ts';
import { openTracing, tracingEnvironment } from '../adapters/tracing/tracing.ts';
import { cacheFor } from '../adapters/waiting/shared.ts';
import { refuseInput, type ServiceContext, type Service } from '../adapters/process/run-service.ts';
import { createTemporalClient } from '../adapters/temporal/client.ts';
import { namespaceId } from '../adapters/temporal/job-workflows.ts';
import { createAuditRecordReceiver } from './audit/receive-audit-records.ts';
import { createChecks } from './checks.ts';
import { checkReadiness } from './readiness.ts';
import { personSources, refusePeopleWithNamespaces } from './access/sources.ts';
import { CONNECTIONS, createReads } from './reads.ts';
import { createOrdinaryCheck } from './submission/reserved.ts';
import { createSubmissions } from './submission/submissions.ts';
import { createFolds } from './folds/folds.ts';
import { toJobProblem } from './job-problem.ts';
import { addPageRoutes } from './routes/page.ts';
import { addRoutes } from './routes.ts';
import { createClusterOverrides } from './cluster-overrides.ts';
import { createWatchesReader } from './watches.ts';
import type { About } from '../adapters/http/description.ts';
import { appliedPositions } from '../read-model/state/positions.ts';
import { refuseOtherSchema } from '../read-model/state/schema.ts';

const configuration = kafkaEnvironment
  .extend(postgresEnvironment.shape)
  .extend(temporalEnvironment.shape)
  .extend(clustersEnvironment.shape)
  .extend(claimEnvironment.shape)
  .extend(leaseEnvironment.shape)
  .extend(metricsEnvironment.shape)
  .extend(tracingEnvironment.shape)
  .extend(rateLimitEnvironment.shape)
  .extend(httpEnvironment.shape)
  .extend(auditLogEnvironment.shape)
  .superRefine(requireAccess)
  .superRefine(refusePeopleWithNamespaces);

const BODY_BYTES = 64 * 1024;

const READINESS_MS = 1000;

export const service: Service = { name: 'api', start: startApi };

async function startApi({
  environment,
  log,
  shutdown,
  refuse,
  announceReady,
}: ServiceContext): Promise<void> {
  const config = readConfig(configuration, environment);
  const metrics = await openMetrics(config, { log, shutdown });
  const observe = requestCounter(metrics);
  const clusters = connectClusters({
    kubeconfig: config.JOBLEDGER_KUBECONFIG,
    contexts: config.JOBLEDGER_CONTEXTS,
    clusterName: config.JOBLEDGER_CLUSTER_NAME,
  }).map((connection) =>
    withinNamespaces(
      createKubernetesClient(connection, { observe, limit: configuredRateLimit(config) }),
      config.JOBLEDGER_NAMESPACES,
    ),
  );
  const timeoutMs = config.JOBLEDGER_API_TIMEOUT_MS;
  const database = openDatabase(config, log, {
    connections: CONNECTIONS,
    name: 'jobledger api',
    statementTimeoutMs: timeoutMs,
  });
  shutdown.onClose('Postgres', () => database.close());
  if (
    config.JOBLEDGER_API_KUBERNETES_TOKENS !== undefined &&
    config.JOBLEDGER_API_KUBERNETES_AUDIENCE === undefined
  )
    log.warn(
      "tokens for the cluster's own API server are accepted; such a token, if it leaks, also works in the cluster: set JOBLEDGER_API_KUBERNETES_AUDIENCE",
    );
  const kafka = connectKafka(config, log, { service: 'api', observe: kafkaRequestCounter(metrics) });
  const topic = kafka.topics.ledger;
  // The API also starts while Kafka and Postgres are down, or have no topics and tables.
  let level: FeatureLevel | null = null;
  openFeatureLevel(kafka, { signal: shutdown.signal, onTooOld: refuse })
    .then((opened) => (level = opened))
    .catch(refuseInput(refuse))
    .catch(() => undefined);
  refuseOtherSchema(database.run, { signal: shutdown.signal, refuse });
  const tokens = openTokens(config, { log, metrics, shutdown });
  const record = await openTracing(config, { service: 'api', log, shutdown });
  const appender = createLazyAppender(
    kafka,
    () => stampLedger(kafka),
    record === null ? undefined : traceAppended(record),
  );
  shutdown.onClose('appender', () => appender.close());
  const temporal = createTemporalClient(config, log);
  shutdown.onClose('Temporal', () => temporal.close());

  const { folds, close: closeFolds } = createFolds({
    log,
    environment,
    settings: {
      postgres: { DATABASE_URL: config.DATABASE_URL, DATABASE_WITHOUT_TLS: config.DATABASE_WITHOUT_TLS },
      statementTimeoutMs: timeoutMs,
    },
    budgetMs: config.JOBLEDGER_API_FOLD_MS,
    secondsPerMinute: config.JOBLEDGER_API_FOLD_SECONDS_PER_MINUTE,
  });
  shutdown.onClose('folds', closeFolds);
  const certificate = openCertificate(config, { log, shutdown });
  const server = await createHttpServer({
    log,
    metrics,
    certificate,
    authentication: createAuthentication(
      { tokens, people: personSources(config, clusters) },
      config.JOBLEDGER_API_RATE_PER_MINUTE,
    ),
    bodyLimit: BODY_BYTES,
    timeoutMs,
    trustedProxies: config.JOBLEDGER_API_TRUSTED_PROXIES,
    about: ABOUT,
    toProblem: toJobProblem,
  });
  let streams = 0;
  metrics.gauge({ name: 'http_streams', help: 'Open event streams.', labels: [] }, () => [
    { labels: {}, value: streams },
  ]);
  const checks = createChecks({
    run: database.run,
    applied: () => appliedPositions(database.run, topic),
    ledgerEnds: cacheFor(() => readLedgerEnds(kafka, topic), READINESS_MS),
    tokens,
    temporal: () => temporal.use(async (client) => void (await namespaceId(client))),
    clusters,
  });
  addRoutes(server, {
    reads: createReads(database, timeoutMs),
    folds,
    events: {
      run: database.run,
      topic,
      maxStreams: config.JOBLEDGER_API_MAX_STREAMS,
      maxStreamsOfCaller: config.JOBLEDGER_API_MAX_STREAMS_OF_CALLER,
      signal: shutdown.signal,
      count: (open) => (streams = open),
    },
    ask: (job, request, by) => appendUserRequest(appender, job, request, by),
    applyPrices: (planned, by) => applyPrices(appender, planned, by),
    submissions: createSubmissions({
      append: appender.append,
      log,
      signal: shutdown.signal,
    }),
    receive: createAuditRecordReceiver({
      names: createUserNames(config),
      namespaces: config.JOBLEDGER_NAMESPACES,
      append: appender.append,
      run: database.run,
      count: auditedCounter(metrics, []),
    }),
    clusters,
    watches: createWatchesReader(followWatches(kafka), log),
    overrides: createClusterOverrides(kafka, log),
    level: () => level?.current() ?? null,
    claim: config.JOBLEDGER_CLAIM,
    requireOrdinary: createOrdinaryCheck(config.JOBLEDGER_LEASE_NAMESPACE),
    readiness: cacheFor(() => checkReadiness(checks, log), READINESS_MS),
  });
  const hasPage = addPageRoutes(server, join(PACKAGE_DIR, 'build', 'page'), {
    provider: providerOfPage(config),
    logUrl: config.JOBLEDGER_LOG_URL ?? null,
  });
  if (!hasPage) log.warn('the page is not built: run npm run prepare');
  const address = await listen(server, config.JOBLEDGER_API_ADDRESS);
  shutdown.onClose('HTTP', () => close(server));
  const url = `${certificate === null ? 'http' : 'https'}://${address}`;
  log.info({ api: url, tokens: tokens !== null }, 'serving the API');
  announceReady({ api: url });
}

/** The general information of the OpenAPI document about the API. */
export const ABOUT: About = {
  title: 'Jobledger',
  version: VERSION,
  description: 'The history of Kubernetes Jobs, and the decisions about them with their reasons',
};
