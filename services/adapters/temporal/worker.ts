import { NativeConnection, Runtime, Worker, DefaultLogger } from '@temporalio/worker';
import type { JobActivities } from '../../../workflows/activities.ts';
import type { TemporalConfig } from '../config.ts';
import type { Log } from '../log.ts';
import { connectionOptions, dataConverter } from './connection.ts';
import { taskQueue } from './names.ts';

export interface WorkerOptions {
  config: TemporalConfig;
  connection: NativeConnection;
  bundle: string;
  /** Names the bundle: only the runs that it began are taken. */
  build: string;
  cluster: string;
  activities: JobActivities;
}

export type { Worker };

/** Sends the SDK's own log to ours. Call it once, before anything else of Temporal. */
export function logTemporalTo(log: Log): void {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message }) =>
      log[levels[level]]({ temporal: message }, 'temporal worker'),
    ),
    shutdownSignals: [],
  });
}

/** One connection for all workers of a process. */
export function connectWorkers(config: TemporalConfig): Promise<NativeConnection> {
  return NativeConnection.connect(connectionOptions(config));
}

/** A worker for one cluster's task queue. It polls once `run` is called. */
export function createWorker({
  config,
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
    workflowBundle: { codePath: bundle },
    activities: { ...activities },
    dataConverter,
    // After a crash the tasks of the dead worker's sticky queue must not wait for long.
    stickyQueueScheduleToStartTimeout: '1s',
    shutdownGraceTime: '1s',
    shutdownForceTime: '3s',
    maxCachedWorkflows: 1000,
    maxConcurrentWorkflowTaskExecutions: 40,
    maxConcurrentLocalActivityExecutions: 100,
    maxConcurrentActivityTaskExecutions: 50,
  });
}
