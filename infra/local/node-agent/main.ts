import { connectClusters } from '../../../services/adapters/kubernetes/connection.ts';
import { createKubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { announceReady, listenForShutdown } from '../../../services/adapters/process/shutdown.ts';
import { readNodeAgentConfig } from './config.ts';
import { createClusterObjects } from './container/cluster-objects.ts';
import { mayReadLogs } from './logs/client-rights.ts';
import { startLogServer } from './logs/log-server.ts';
import { recordLogTimes } from './logs/log-times.ts';
import { ALLOCATABLE } from './node/node-object.ts';
import { keepNodePresent } from './node/presence.ts';
import { createPods } from './workers/pods.ts';
import { createContainers, stopAll } from './process/containers.ts';
import { createMemory } from './process/memory.ts';
import { createPodApi } from './workers/status-writer.ts';
import { watchPods } from './workers/watch-pods.ts';
import { serviceVariables } from './container/environment.ts';

const STOP_LIMIT_MS = 2500;

const log = createLog('node-agent');
const shutdown = listenForShutdown(log);
try {
  await run();
} catch (error) {
  log.fatal({ error: errorMessage(error) }, 'the node agent cannot start');
  if (error instanceof InputError) process.stderr.write(`${errorMessage(error)}\n`);
  shutdown.stop(1);
}

async function run(): Promise<void> {
  const config = readNodeAgentConfig(process.env);
  const [connection] = connectClusters({ kubeconfig: config.kubeconfig, contexts: [] });
  if (connection === undefined) throw new InputError(`kubeconfig ${config.kubeconfig} contains no cluster`);
  const client = createKubernetesClient(connection);
  const { signal } = shutdown;

  const memory = createMemory(config.stateDirectory);
  const containers = createContainers({
    memory,
    objects: createClusterObjects(client),
    services: serviceVariables(connection.server),
    node: ALLOCATABLE,
    ownEnvironment: process.env,
    images: config.images,
  });
  if (config.containersOnStop === 'stop')
    shutdown.onClose('containers', () => stopAll(containers, STOP_LIMIT_MS));
  const pods = createPods({ containers, memory, api: createPodApi(client), settings: config.backOff, log });
  shutdown.onClose('pods', () => pods.close());
  const logTimes = recordLogTimes(() => containers.living());
  shutdown.onClose('log times', () => logTimes.close());

  const at = { name: config.nodeName, address: config.address };
  const mayRead = mayReadLogs(client, config.nodeName);
  const server =
    config.tls && (await startLogServer({ ...config, tls: config.tls, pods, memory, mayRead, log }));
  if (server !== undefined) shutdown.onClose('log endpoint', () => server.close());

  log.warn(
    { node: at.name, isolation: 'none' },
    'containers run as plain processes on this host: for laptops and tests only',
  );
  const port = server === undefined ? {} : { port: server.port };
  const registered = new Promise<void>((resolve) => {
    void keepNodePresent({ client, at: { ...at, ...port }, log, signal, registered: resolve });
  });
  const listed = new Promise<void>((resolve) => {
    void watchPods({ client, node: at.name, pods, log, signal, listed: resolve });
  });
  await Promise.all([registered, listed]);
  announceReady(log, { node: at.name, ...port });
}
