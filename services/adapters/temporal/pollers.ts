import type { Client } from '@temporalio/client';
import { runningJobWorkflows } from './job-workflows.ts';
import { taskQueue } from './names.ts';

/** A worker that polls a task queue, or polled it in the last minutes. */
export interface Poller {
  taskQueue: string;
  /** The process and the host, as the worker reports them. */
  identity: string;
  /** The time when its last poll began or ended, in milliseconds since 1970. An idle worker polls once a minute. */
  polledAt: number;
}

const TASK_QUEUE_TYPES = { workflow: 1, activity: 2 } as const;

/** The pollers of the task queues of a cluster, for this build and for each build that has open runs. */
export async function pollersOfCluster(client: Client, cluster: string, build: string): Promise<Poller[]> {
  const queues = new Set([taskQueue(cluster, build)]);
  for await (const run of runningJobWorkflows(client, cluster)) queues.add(run.taskQueue);
  const all = await Promise.all([...queues].toSorted().map((queue) => readPollers(client, queue)));
  return all.flat();
}

/** The pollers of a task queue, each once with its last poll. */
async function readPollers(client: Client, queue: string): Promise<Poller[]> {
  const last = new Map<string, number>();
  for (const taskQueueType of Object.values(TASK_QUEUE_TYPES)) {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: queue },
      taskQueueType,
    });
    for (const { identity, lastAccessTime } of pollers ?? []) {
      const name = identity ?? '';
      last.set(name, Math.max(last.get(name) ?? 0, Number(lastAccessTime?.seconds ?? 0) * 1000));
    }
  }
  return [...last].map(([identity, polledAt]) => ({ taskQueue: queue, identity, polledAt }));
}
