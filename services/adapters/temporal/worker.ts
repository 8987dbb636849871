import { NativeConnection, Runtime, Worker, DefaultLogger } from '@temporalio/worker';
import type { JobActivities } from '../../../workflows/activities.ts';
import type { TemporalConfig } from '../config.ts';
import type { Log } from '../log.ts';
import { connectionOptions, dataConverter } from './connection.ts';
import { taskQueue } from './names.ts';

export interface WorkerOptions {
  config: TemporalConfig;
  bundle: string;
  /** The activities of each cluster that this worker serves. */
  activities: ReadonlyMap<string, JobActivities>;
}

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

/** One worker for each cluster's task queue. They poll once `run` is called. */
export async function createWorkers({
  config,
  bundle,
  activities,
}: WorkerOptions): Promise<{ workers: Worker[]; connection: NativeConnection }> {
  const connection = await NativeConnection.connect(connectionOptions(config));
  const workers = await Promise.all(
    [...activities].map(([cluster, port]) =>
      Worker.create({
        connection,
        namespace: config.TEMPORAL_NAMESPACE,
        taskQueue: taskQueue(cluster),
        workflowBundle: { codePath: bundle },
        activities: { ...port },
        dataConverter,
        // After a crash the tasks of the dead worker's sticky queue must not wait for long.
        stickyQueueScheduleToStartTimeout: '1s',
        shutdownGraceTime: '1s',
        shutdownForceTime: '3s',
        maxCachedWorkflows: 1000,
        maxConcurrentWorkflowTaskExecutions: 40,
        maxConcurrentLocalActivityExecutions: 100,
        maxConcurrentActivityTaskExecutions: 50,
      }),
    ),
  );
  return { workers, connection };
}
