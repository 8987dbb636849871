import { createServer } from 'node:net';
import { makeTelemetryFilterString, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { CronJobActivities, JobActivities } from '../../../workflows/activities.ts';
import type { TemporalConfig } from '../config.ts';
import type { Log } from '../process/log.ts';
import type { Shutdown } from '../process/shutdown.ts';
import { connectionOptions, dataConverter, explainRefusal } from './connection.ts';
import { taskQueue } from './names.ts';
import { sdkLogger } from './sdk-logger.ts';
import { withoutPromiseStacks } from './workflow-threads.ts';

export interface WorkerOptions {
  config: TemporalConfig;
  /** The maximum number of simultaneous workflow tasks. */
  tasksAtOnce: number;
  connection: NativeConnection;
  bundle: string;
  /** Identifies the bundle. The worker handles only runs that this build started. */
  build: string;
  cluster: string;
  activities: JobActivities & Partial<CronJobActivities>;
}

export type { Worker };

/**
 * Sends the SDK's logs to our log. Returns a function that reads the SDK's metrics in Prometheus' text format; the SDK
 * can only serve them on a port, so it gets one on loopback. Call this function before any other use of Temporal, and
 * call it again only after the runtime is closed.
 */
export async function openRuntime(
  log: Log,
  shutdown: Pick<Shutdown, 'onClose'>,
): Promise<() => Promise<string>> {
  const address = `127.0.0.1:${await freePort()}`;
  withoutPromiseStacks();
  const runtime = Runtime.install({
    logger: sdkLogger(log),
    shutdownSignals: [],
    telemetryOptions: {
      // Without forwarding, the native part of the SDK writes to the console itself.
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      metrics: {
        prometheus: {
          bindAddress: address,
          useSecondsForDurations: true,
          unitSuffix: true,
          countersTotalSuffix: true,
        },
      },
    },
  });
  // The SDK closes the runtime with its last connection, but the runtime may never have had a connection.
  shutdown.onClose('runtime', async () => {
    if (Runtime._instance === runtime) await runtime.shutdown();
  });
  return async () => (await fetch(`http://${address}/metrics`)).text();
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Opens one connection for all workers of a process. @throws InputError when Temporal or TLS refuses us. */
export async function connectWorkers(config: TemporalConfig): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(connectionOptions(config));
  } catch (error) {
    throw (await explainRefusal(error, config)) ?? error;
  }
}

/** Creates a worker for one cluster's task queue. The worker polls after `run` is called. */
export function createWorker({
  config,
  tasksAtOnce,
  connection,
  bundle,
  build,
  cluster,
  activities,
}: WorkerOptions): Promise<Worker> {
  return Worker.create({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueue(cluster, build),
    buildId: build,
    workflowBundle: { codePath: bundle },
    activities: { ...activities },
    dataConverter,
    // A run whose replay fails would never continue. The dispatcher starts another run, which recalls its state.
    workflowFailureErrorTypes: { '*': ['NondeterminismError'] },
    // The timeout is short, because tasks in the sticky queue of a crashed worker must not wait for long.
    stickyQueueScheduleToStartTimeout: '1s',
    // With this interval, the server gets a heartbeat within a second; the deadline of each attempt relies on this
    // heartbeat (worker/activities/port.ts).
    maxHeartbeatThrottleInterval: '1s',
    shutdownGraceTime: '1s',
    shutdownForceTime: '3s',
    maxCachedWorkflows: 1000,
    maxConcurrentWorkflowTaskExecutions: tasksAtOnce,
    // A workflow task waits for one local activity at a time.
    maxConcurrentLocalActivityExecutions: tasksAtOnce,
    maxConcurrentActivityTaskExecutions: 50,
  });
}
