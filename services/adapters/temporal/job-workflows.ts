import {
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { JobRef } from '../../../workflows/activities.ts';
import type { JobWorkflowInput } from '../../../workflows/job-workflow.ts';
import type { Fact } from '../../../workflows/job/facts.ts';
import type { Settings } from '../../../workflows/job/settings.ts';
import type { Observation } from '../../../workflows/messages.ts';
import { taskQueue, workflowId } from './names.ts';

/** The name of the workflow function in the bundle. */
const TYPE = 'jobWorkflow';

/** A run of a Job's workflow, as the server knows it. */
export interface JobRun {
  job: JobRef;
  runId: string;
  /** Tells the build that began it (names.ts). */
  taskQueue: string;
}

/** The client, and the build of the workflow code whose runs it begins. */
export interface JobWorkflows {
  client: Client;
  build: string;
}

/** Tells a Job's workflow facts, starting it when it does not run. */
export async function signalWithStart(
  { client, build }: JobWorkflows,
  job: JobRef,
  message: { facts: Fact[]; settings: Settings; recall: boolean },
): Promise<void> {
  const { facts, settings, recall } = message;
  const observation: Observation = { facts, settings };
  await client.workflow.signalWithStart(TYPE, {
    ...startOptions(build, { job, settings, recall }),
    signal: 'observe',
    signalArgs: [observation],
  });
}

/** The same to a workflow that runs; where none does, nobody is told. */
export async function signalIfRunning(
  { client }: JobWorkflows,
  job: JobRef,
  observation: Observation,
): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId(job.cluster, job.uid)).signal('observe', observation);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Ends the run that there is, by force, and starts one of this build in one step: at no time are there two. */
export async function startInstead(
  { client, build }: JobWorkflows,
  job: JobRef,
  settings: Settings,
): Promise<void> {
  await client.workflow.start(TYPE, {
    ...startOptions(build, { job, settings, recall: true }),
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
  });
}

function startOptions(
  build: string,
  input: JobWorkflowInput,
): WorkflowStartOptions & { args: [JobWorkflowInput] } {
  const { job } = input;
  return {
    workflowId: workflowId(job.cluster, job.uid),
    taskQueue: taskQueue(job.cluster, build),
    args: [input],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    // After a crash of the worker its task must not be waited for long.
    workflowTaskTimeout: '5s',
    staticSummary: `${job.namespace}/${job.name}`,
    memo: { job },
  };
}

/** All workflows of Jobs that run, by id. */
export async function runningJobWorkflows(client: Client): Promise<Map<string, JobRun>> {
  const running = new Map<string, JobRun>();
  const listing = client.workflow.list({
    query: `WorkflowType = '${TYPE}' AND ExecutionStatus = 'Running'`,
    pageSize: 1000,
  });
  for await (const { workflowId: id, runId, taskQueue: queue, memo } of listing)
    running.set(id, { job: memo?.['job'] as JobRef, runId, taskQueue: queue });
  return running;
}

/** Changes when the server lost its database: the namespace is another one then. */
export async function namespaceId(client: Client): Promise<string> {
  const { namespaceInfo } = await client.workflowService.describeNamespace({
    namespace: client.options.namespace,
  });
  return namespaceInfo?.id ?? '';
}
