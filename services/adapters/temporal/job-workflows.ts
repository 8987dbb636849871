import { WorkflowIdReusePolicy, type Client } from '@temporalio/client';
import type { JobRef } from '../../../workflows/activities.ts';
import type { JobWorkflowInput } from '../../../workflows/job-workflow.ts';
import type { Fact } from '../../../workflows/job/facts.ts';
import type { Settings } from '../../../workflows/job/settings.ts';
import type { Observation, Wish } from '../../../workflows/messages.ts';
import { taskQueue, workflowId } from './names.ts';

/** The name of the workflow function in the bundle. */
const TYPE = 'jobWorkflow';

/** Tells a Job's workflow facts, starting it when it does not run. */
export async function signalWithStart(
  client: Client,
  job: JobRef,
  message: { facts: Fact[]; settings: Settings; recall: boolean },
): Promise<void> {
  const { facts, settings, recall } = message;
  const input: JobWorkflowInput = { job, settings, recall };
  const observation: Observation = { facts, settings };
  await client.workflow.signalWithStart(TYPE, {
    workflowId: workflowId(job.cluster, job.uid),
    taskQueue: taskQueue(job.cluster),
    args: [input],
    signal: 'observe',
    signalArgs: [observation],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    // After a crash of the worker its task must not be waited for long.
    workflowTaskTimeout: '5s',
    staticSummary: `${job.namespace}/${job.name}`,
  });
}

/** A person's wish, for the workflow of a Job. */
export async function signalWish(
  client: Client,
  job: Pick<JobRef, 'cluster' | 'uid'>,
  command: 'suspend' | 'resume',
  wish: Wish,
): Promise<void> {
  await client.workflow.getHandle(workflowId(job.cluster, job.uid)).signal(command, wish);
}

/** Ids of all workflows of Jobs that run. */
export async function runningJobWorkflows(client: Client): Promise<Set<string>> {
  const running = new Set<string>();
  const listing = client.workflow.list({
    query: `WorkflowType = '${TYPE}' AND ExecutionStatus = 'Running'`,
    pageSize: 1000,
  });
  for await (const { workflowId: id } of listing) running.add(id);
  return running;
}

/** Changes when the server lost its database: the namespace is another one then. */
export async function namespaceId(client: Client): Promise<string> {
  const { namespaceInfo } = await client.workflowService.describeNamespace({
    namespace: client.options.namespace,
  });
  return namespaceInfo?.id ?? '';
}
