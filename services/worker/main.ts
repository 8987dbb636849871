import { fileURLToPath } from 'node:url';
import {
  claimEnvironment,
  clustersEnvironment,
  controllersEnvironment,
  kafkaEnvironment,
  leaseEnvironment,
  readConfig,
  temporalEnvironment,
} from '../adapters/config.ts';
import { createAppender } from '../adapters/kafka/append.ts';
import { connectKafka } from '../adapters/kafka/connection.ts';
import { ensureTopics } from '../adapters/kafka/topics.ts';
import { createKubernetesClient, type KubernetesClient } from '../adapters/kubernetes/client.ts';
import { connectClusters } from '../adapters/kubernetes/connection.ts';
import { rateLimitEnvironment, rateLimitOf } from '../adapters/kubernetes/rate-limit.ts';
import { countRequests } from '../adapters/metrics/api-requests.ts';
import { metricsEnvironment, openMetrics } from '../adapters/metrics/endpoint.ts';
import { countAppended } from '../adapters/metrics/ledger.ts';
import { runService } from '../adapters/process.ts';
import { announceReady } from '../adapters/shutdown.ts';
import { workflowBuild } from '../adapters/temporal/build.ts';
import { workflowBundle } from '../adapters/temporal/bundle.ts';
import { untilAvailable } from '../adapters/temporal/connection.ts';
import { connectWorkers, createWorker, openRuntime, type Worker } from '../adapters/temporal/worker.ts';
import { createStreamReader } from './activities/recall.ts';
import { createJobActivities } from './activities/port.ts';
import { countDecisions } from './metrics.ts';
import { requireSoleController } from './sole-controller.ts';

const configuration = kafkaEnvironment
  .extend(temporalEnvironment.shape)
  .extend(clustersEnvironment.shape)
  .extend(claimEnvironment.shape)
  .extend(controllersEnvironment.shape)
  .extend(leaseEnvironment.shape)
  .extend(metricsEnvironment.shape)
  .extend(rateLimitEnvironment.shape);

await runService('worker', async ({ log, shutdown }) => {
  const config = readConfig(configuration);
  const metrics = await openMetrics(config, { log, shutdown });
  const [observe, count] = [countRequests(metrics), countDecisions(metrics)];
  metrics.include(await openRuntime(log));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const build = workflowBuild(root);
  const bundle = workflowBundle(root);
  const clusters = connectClusters({
    kubeconfig: config.JOBLEDGER_KUBECONFIG,
    contexts: config.JOBLEDGER_CONTEXTS,
    clusterName: config.JOBLEDGER_CLUSTER_NAME,
  });
  const clients = clusters.map((connection) =>
    createKubernetesClient(connection, { observe, limit: rateLimitOf(config) }),
  );
  const available = <T>(what: string, attempt: () => Promise<T>): Promise<T> =>
    untilAvailable(what, log, shutdown.signal, attempt);
  const kafka = connectKafka(config, log);
  await ensureTopics(kafka, shutdown.signal);
  const appender = await createAppender(kafka, countAppended(metrics));
  shutdown.onClose('appender', () => appender.close());
  const streamOf = createStreamReader(kafka);
  const workflowCode = await bundle;
  const connection = await available('Temporal', () => connectWorkers(config));
  shutdown.onClose('connection', () => connection.close());

  const workerFor = async (client: KubernetesClient): Promise<Worker> => {
    const { cluster } = client;
    if (config.JOBLEDGER_CLAIM === 'all' && config.JOBLEDGER_CONTROLLERS.includes('job')) {
      const namespace = config.JOBLEDGER_LEASE_NAMESPACE;
      const needs = { client, namespace, log, signal: shutdown.signal };
      await available(`cluster "${cluster}"`, () => requireSoleController(needs));
    }
    const activities = createJobActivities({ client, appender, log, count, streamOf });
    const options = { config, connection, bundle: workflowCode, build, cluster, activities };
    return available('Temporal', () => createWorker(options));
  };
  // A cluster that is away keeps only its own worker waiting.
  const workers = clients.map(workerFor);
  const runs = Promise.all(workers.map(async (worker) => (await worker).run()));
  // Waited for at the end, and what fails before it is told by the workers.
  runs.catch(() => undefined);
  shutdown.onClose('workers', async () => {
    await Promise.allSettled(
      workers.map(async (each) => {
        const worker = await each;
        if (worker.getState() === 'RUNNING') worker.shutdown();
      }),
    );
    await runs;
  });
  await Promise.all(workers);
  announceReady(log, { clusters: clusters.map(({ cluster }) => cluster) });
  await runs;
});
