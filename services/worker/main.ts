import { fileURLToPath } from 'node:url';
import {
  claimEnvironment,
  clustersEnvironment,
  kafkaEnvironment,
  readConfig,
  temporalEnvironment,
} from '../adapters/config.ts';
import { createAppender } from '../adapters/kafka/append.ts';
import { connectKafka } from '../adapters/kafka/connection.ts';
import { ensureTopics } from '../adapters/kafka/topics.ts';
import { createKubernetesClient } from '../adapters/kubernetes/client.ts';
import { connectClusters } from '../adapters/kubernetes/connection.ts';
import { runService } from '../adapters/process.ts';
import { announceReady } from '../adapters/shutdown.ts';
import { workflowBundle } from '../adapters/temporal/bundle.ts';
import { untilAvailable } from '../adapters/temporal/connection.ts';
import { createWorkers, logTemporalTo } from '../adapters/temporal/worker.ts';
import { createStreamReader } from './activities/recall.ts';
import { createJobActivities } from './activities/port.ts';

const configuration = kafkaEnvironment
  .extend(temporalEnvironment.shape)
  .extend(clustersEnvironment.shape)
  .extend(claimEnvironment.shape);

await runService('worker', async ({ log, shutdown }) => {
  const config = readConfig(configuration);
  logTemporalTo(log);
  const bundle = workflowBundle(fileURLToPath(new URL('../..', import.meta.url)));
  const clusters = connectClusters({
    kubeconfig: config.JOBLEDGER_KUBECONFIG,
    contexts: config.JOBLEDGER_CONTEXTS,
    clusterName: config.JOBLEDGER_CLUSTER_NAME,
  });
  const kafka = connectKafka(config, log);
  await ensureTopics(kafka, shutdown.signal);
  const appender = await createAppender(kafka);
  shutdown.onClose('appender', () => appender.close());
  const streamOf = createStreamReader(kafka);
  const activities = new Map(
    clusters.map((connection) => [
      connection.cluster,
      createJobActivities({ client: createKubernetesClient(connection), appender, log, streamOf }),
    ]),
  );
  const workflowCode = await bundle;
  const { workers, connection } = await untilAvailable('Temporal', log, shutdown.signal, () =>
    createWorkers({ config, bundle: workflowCode, activities }),
  );
  shutdown.onClose('connection', () => connection.close());
  const runs = Promise.all(workers.map((worker) => worker.run()));
  shutdown.onClose('workers', async () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await runs;
  });
  announceReady(log, { clusters: clusters.map(({ cluster }) => cluster) });
  await runs;
});
