import type { Client } from '@temporalio/client';
import type { Settings } from '../../../workflows/job/settings.ts';
import { runningJobWorkflows, startInstead, type JobWorkflows, type JobRun } from './job-workflows.ts';
import { taskQueue, workflowId } from './names.ts';

const WORKFLOW_TASK_QUEUE = 1;
const TAIL_EVENTS = 200;

/** Runs that another build began. */
export async function runsOfOtherBuilds({ client, build }: JobWorkflows): Promise<JobRun[]> {
  const running = await runningJobWorkflows(client);
  return [...running.values()].filter((run) => run.taskQueue !== taskQueue(run.job.cluster, build));
}

/** Whether a worker of this build asks for a cluster's tasks, or did so lately. */
export async function isServed({ client, build }: JobWorkflows, cluster: string): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue(cluster, build) },
    taskQueueType: WORKFLOW_TASK_QUEUE,
  });
  return (pollers ?? []).length > 0;
}

/**
 * Puts a run of this build in the place of another build's; it recalls its state from the ledger. People's wishes that
 * nobody had read yet are passed on. False when there was nothing to do: the listing may be a moment old.
 */
export async function takeOver(
  workflows: JobWorkflows,
  { job }: JobRun,
  settings: Settings,
): Promise<boolean> {
  const { client, build } = workflows;
  const id = workflowId(job.cluster, job.uid);
  const now = await client.workflow.getHandle(id).describe();
  if (now.status.name !== 'RUNNING' || now.taskQueue === taskQueue(job.cluster, build)) return false;
  await startInstead(workflows, job, settings);
  await passOnRequests(client, id, now.runId);
  return true;
}

/** Signals behind the last task that was completed are in no decision. Facts among them are in the ledger, wishes not. */
async function passOnRequests(client: Client, id: string, endedRun: string): Promise<void> {
  const { namespace } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId: id, runId: endedRun },
    maximumPageSize: TAIL_EVENTS,
  });
  const events = history?.events ?? [];
  const read = events.findIndex((event) => event.workflowTaskCompletedEventAttributes != null);
  const unread = events.slice(0, read === -1 ? events.length : read).toReversed();
  for (const { workflowExecutionSignaledEventAttributes: signal } of unread)
    if (signal?.signalName === 'suspend' || signal?.signalName === 'resume')
      await client.workflowService.signalWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: id },
        signalName: signal.signalName,
        input: signal.input ?? null,
      });
}
