import type { Client } from '@temporalio/client';
import type { AnySettings } from '../../../workflows/kind.ts';
import { getKind } from '../../../workflows/kinds.ts';
import type { HandOver } from '../../../workflows/messages.ts';
import {
  runningJobWorkflows,
  replaceRun,
  resultUnlessEnded,
  type JobWorkflows,
  type JobRun,
} from './job-workflows.ts';
import { taskQueue, workflowId } from './names.ts';

const WORKFLOW_TASK_QUEUE = 1;
const TAIL_EVENTS = 200;

/** The open workflow runs that another build started. */
export async function runsOfOtherBuilds({ client, build }: JobWorkflows): Promise<JobRun[]> {
  const others: JobRun[] = [];
  for await (const run of runningJobWorkflows(client))
    if (run.taskQueue !== taskQueue(run.job.cluster, build)) others.push(run);
  return others;
}

/** True when a worker polls a task queue, or has polled it in the last minutes. */
export async function isPolled({ client }: JobWorkflows, name: string): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType: WORKFLOW_TASK_QUEUE,
  });
  return (pollers ?? []).length > 0;
}

/**
 * Asks a run of another build to continue under this build, with its state. A build with another state format, or
 * without this signal, ignores it.
 */
export async function askToHandOver(
  { client, build }: JobWorkflows,
  { job, runId }: JobRun,
  settings: AnySettings,
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId(job.cluster, job.uid, job.kind), runId);
  const { stateFormat } = getKind(job);
  const message = { taskQueue: taskQueue(job.cluster, build), stateFormat, settings };
  await resultUnlessEnded(handle.signal<[HandOver<AnySettings>]>('handOver', message));
}

/** True while a run is open; false when it has ended or continued as a new run. */
export async function isRunning({ client }: JobWorkflows, { job, runId }: JobRun): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId(job.cluster, job.uid, job.kind), runId);
  const found = await resultUnlessEnded(handle.describe());
  return found?.status.name === 'RUNNING';
}

/**
 * Replaces a run of another build with a run of this build, which recalls its state from the ledger. The new run gets
 * the user requests that the old run had not processed. Returns false when the old run has already ended, because the
 * listing may be out of date.
 */
export async function takeOver(
  workflows: JobWorkflows,
  { job }: JobRun,
  settings: AnySettings,
): Promise<boolean> {
  const { client, build } = workflows;
  const id = workflowId(job.cluster, job.uid, job.kind);
  const now = await client.workflow.getHandle(id).describe();
  if (now.status.name !== 'RUNNING' || now.taskQueue === taskQueue(job.cluster, build)) return false;
  await replaceRun(workflows, job, settings);
  await passOnRequests(client, id, now.runId);
  return true;
}

/**
 * No decision contains the signals after the last completed workflow task. The ledger contains the facts among these
 * signals, but not the user requests that were sent as signals.
 */
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
