import {
  claimEnvironment,
  clustersEnvironment,
  controllersEnvironment,
  kafkaEnvironment,
  leaseEnvironment,
  postgresEnvironment,
  readConfig,
  temporalEnvironment,
  workflowTasksEnvironment,
} from '../adapters/config.ts';
import { createAppender } from '../adapters/kafka/append.ts';
import { connectKafka } from '../adapters/kafka/connection.ts';
import { openFeatureLevel } from '../installation/feature-level.ts';
import { recordedEpochNumber } from '../live-topic/epoch.ts';
import { reportOlderAnswer } from '../live-topic/older-answer.ts';
import { writeFaultyRun } from '../consumers/dead-letters.ts';
import { readInstallationId, readKafkaCluster } from '../installation/installation.ts';
import { keepTopics } from '../adapters/kafka/topics.ts';
import { createKubernetesClient, type KubernetesClient } from '../adapters/kubernetes/client.ts';
import { connectClusters } from '../adapters/kubernetes/connection.ts';
import { rethrowAsRefusal, createRefusals } from '../adapters/kubernetes/refusals.ts';
import { rateLimitEnvironment, configuredRateLimit } from '../adapters/kubernetes/rate-limit.ts';
import { withinNamespaces } from '../adapters/kubernetes/within-namespaces.ts';
import { requestCounter } from '../adapters/metrics/api-requests.ts';
import { metricsEnvironment, openMetrics } from '../adapters/metrics/endpoint.ts';
import { kafkaRequestCounter } from '../adapters/metrics/kafka-requests.ts';
import { createAppendedCounter } from '../consumers/ledger-metrics.ts';
import { PACKAGE_DIR } from '../adapters/process/package-dir.ts';
import { recall } from './recall/recall.ts';
import { refuseOtherSchema } from '../read-model/state/schema.ts';
import { createLocate, openTables } from './recall/tables.ts';
import type { ServiceContext, Service } from '../adapters/process/run-service.ts';
import { retryUntilAvailable } from '../adapters/waiting/retry.ts';
import { whenAllReady } from '../adapters/process/shutdown.ts';
import { workflowBundle } from '../adapters/temporal/bundle.ts';
import { WORKFLOW_TASK_TIMEOUT_MS } from '../adapters/temporal/workflow-task-timeout.ts';
import { waitForNamespace } from '../adapters/temporal/namespace.ts';
import { connectWorkers, createWorker, openRuntime, type Worker } from '../adapters/temporal/worker.ts';
import { traceCommands } from './activities/trace-commands.ts';
import { tracedClient } from '../adapters/tracing/traced-client.ts';
import { openTracing, tracingEnvironment } from '../adapters/tracing/tracing.ts';
import { createClaimedJobs } from './activities/job/claimed-jobs.ts';
import { createActivities } from './activities/port.ts';
import { createSnapshots } from './recall/snapshots.ts';
import { createStartReader } from './recall/start-reader.ts';
import { createStreamReader } from './recall/stream-reader.ts';
import { watchForStops } from './stood-still.ts';
import { openPlacement, placementEnvironment } from './placement/placement.ts';
import { createReportOlder } from './activities/older-answers.ts';
import { createReadWatched } from './activities/cron-job/watched.ts';
import { decisionCounter, faultCounter, ruleCounter, showCreationSkew } from './metrics.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { requireSoleController, type Replaced } from './sole-controller.ts';

const configuration = kafkaEnvironment
  .extend(temporalEnvironment.shape)
  .extend(workflowTasksEnvironment.shape)
  .extend(clustersEnvironment.shape)
  .extend(claimEnvironment.shape)
  .extend(controllersEnvironment.shape)
  .extend(leaseEnvironment.shape)
  .extend(metricsEnvironment.shape)
  .extend(tracingEnvironment.shape)
  .extend(postgresEnvironment.partial().shape)
  .extend(rateLimitEnvironment.shape)
  .extend(placementEnvironment.shape);

export const service: Service = { name: 'worker', start: startWorker };

async function startWorker({
  environment,
  log,
  shutdown,
  refuse,
  announceReady,
}: ServiceContext): Promise<void> {
  const config = readConfig(configuration, environment);
  // After a long stop, the Temporal server has given the tasks of this worker to other workers, and the SDK may hang on
  // a run that has received several tasks at once.
  watchForStops(WORKFLOW_TASK_TIMEOUT_MS, {
    signal: shutdown.signal,
    onStopped: (stoodStillMs) => {
      log.error(
        { stoodStillMs },
        'this process was stopped; the worker exits so that it can be started again',
      );
      shutdown.stop(1);
    },
  });
  const metrics = await openMetrics(config, { log, shutdown });
  const [observe, rules] = [requestCounter(metrics), ruleCounter(metrics)];
  const count = decisionCounter(metrics, rules);
  const onCreated = showCreationSkew(metrics);
  const onFault = faultCounter(metrics);
  metrics.include(await openRuntime(log, shutdown));
  const record = await openTracing(config, { service: 'worker', log, shutdown });
  const bundle = workflowBundle(PACKAGE_DIR);
  const clusters = connectClusters({
    kubeconfig: config.JOBLEDGER_KUBECONFIG,
    contexts: config.JOBLEDGER_CONTEXTS,
    clusterName: config.JOBLEDGER_CLUSTER_NAME,
  });
  const { JOBLEDGER_NAMESPACES: namespaces, JOBLEDGER_LEASE_NAMESPACE: leaseNamespace } = config;
  const clients = clusters.map((connection) =>
    createKubernetesClient(connection, { observe, limit: configuredRateLimit(config) }),
  );
  const waitForServer = <T>(what: string, attempt: () => Promise<T>): Promise<T> =>
    retryUntilAvailable(what, { log, signal: shutdown.signal }, attempt);
  const kafka = connectKafka(config, log, { service: 'worker', observe: kafkaRequestCounter(metrics) });
  await keepTopics(kafka, { signal: shutdown.signal, role: 'writer' });
  const level = await openFeatureLevel(kafka, { signal: shutdown.signal, onTooOld: refuse });
  const appender = await createAppender(kafka, createAppendedCounter(metrics), level.current);
  shutdown.onClose('appender', () => appender.close());
  const kafkaCluster = await waitForServer('Kafka', () => readKafkaCluster(kafka));
  const tables = openTables(config, { log, shutdown });
  if (tables !== null) refuseOtherSchema(tables, { signal: shutdown.signal, refuse });
  const locate = tables === null ? null : createLocate(tables, kafka, kafkaCluster);
  const readStart = createStartReader(createStreamReader(kafka, { locate }));
  const snapshots = createSnapshots({
    readStart,
    append: appender.append,
    // Without the tables, each snapshot would cost a pass over the ledger, and no recall would find the snapshot.
    areAllowed: locate !== null,
    signal: shutdown.signal,
    log,
  });
  const installation = await readInstallationId(kafka, shutdown.signal);
  const { file, build } = await bundle;
  const connection = await waitForServer('Temporal', () => connectWorkers(config));
  shutdown.onClose('connection', () => connection.close());
  await waitForNamespace(connection.workflowService, config, { log, signal: shutdown.signal });

  const names = clusters.map(({ cluster }) => cluster);
  const ready = whenAllReady(names, () => announceReady({ clusters: names }));
  const { signal } = shutdown;
  const refusals = createRefusals({ clusters: names, log, metrics, signal, onRefused: ready });
  const controllers = config.JOBLEDGER_CONTROLLERS;
  const replaced: Replaced[] = [
    ...(config.JOBLEDGER_CLAIM === 'all' && controllers.includes('job') ? ['job' as const] : []),
    ...(controllers.includes('cronjob') ? ['cronjob' as const] : []),
  ];
  const claimed = createClaimedJobs(config.JOBLEDGER_CLAIM);
  // Earlier Jobs of other namespaces may still be open. The decisions about these Jobs wait as during an outage of
  // their API server.
  const allowedClients = new Map(clients.map((each) => [each.cluster, withinNamespaces(each, namespaces)]));
  const getEpoch = (cluster: string): number => recordedEpochNumber(cluster, level.records());
  const reportOlder = createReportOlder({
    report: (cluster, answer) => reportOlderAnswer(kafka, cluster, answer),
    getEpoch,
    log,
    now: Date.now,
  });
  const placement = openPlacement({
    allowed: config.JOBLEDGER_PLACEMENT,
    clients,
    allowedClients,
    kafka,
    records: level.records,
    getEpoch,
    readState: async (job, aborted) => (await recall({ readStart, snapshots }, job, aborted)) as JobState,
    log,
    signal,
  });
  const createClusterWorker = async (client: KubernetesClient): Promise<Worker> => {
    const { cluster } = client;
    if (replaced.length > 0) {
      const dependencies = { client, namespace: leaseNamespace, namespaces, log, signal };
      await refusals.untilAccepted(cluster, async (accepted) => {
        await waitForServer(`cluster "${cluster}"`, () =>
          Promise.all(replaced.map((each) => requireSoleController(dependencies, each))).catch(
            rethrowAsRefusal(cluster),
          ),
        );
        accepted();
      });
    }
    const allowed = allowedClients.get(cluster) ?? client;
    const activities = createActivities({
      client: record === null ? allowed : tracedClient(allowed, record),
      appender,
      log,
      now: Date.now,
      trace: record === null ? undefined : traceCommands(record),
      readStart,
      snapshots,
      claimed,
      count,
      watched: createReadWatched({ client, log, leaseNamespace, installation }),
      countRules: rules,
      onCreated,
      reportOlder,
      ...placement,
      onFault,
      keepFault: (report) => writeFaultyRun(appender, kafka.topics, report),
    });
    const tasksAtOnce = config.JOBLEDGER_WORKFLOW_TASKS;
    const options = { config, tasksAtOnce, connection, bundle: file, build, cluster, activities };
    return waitForServer('Temporal', () => createWorker(options));
  };
  // A cluster that is down or refused delays only its own worker.
  const workers: Worker[] = [];
  const running = clients.map(async (client) => {
    const worker = await createClusterWorker(client);
    if (signal.aborted) return;
    workers.push(worker);
    const run = worker.run();
    ready(client.cluster);
    await run;
  });
  shutdown.onClose('workers', async () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.allSettled(running);
  });
  await Promise.all(running);
}
