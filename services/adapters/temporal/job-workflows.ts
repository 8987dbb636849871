import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { ObjectRef } from '../../../workflows/activities.ts';
import type { RunInput } from '../../../workflows/control-loop.ts';
import type { AnySettings } from '../../../workflows/kind.ts';
import { ALL_KINDS, getKind } from '../../../workflows/kinds.ts';
import type { AnyFact } from '../../../workflows/ledger-event.ts';
import type { Observation } from '../../../workflows/messages.ts';
import { WORKFLOW_TASK_TIMEOUT_MS } from './workflow-task-timeout.ts';
import { taskQueue, workflowId } from './names.ts';

/** A run of the workflow of a Job or CronJob. */
export interface JobRun {
  /** The workflow id of the run. */
  id: string;
  job: ObjectRef;
  runId: string;
  /** The task queue, which identifies the build that started the run (names.ts). */
  taskQueue: string;
}

/** The client, and the build of the workflow code for new runs. */
export interface JobWorkflows {
  client: Client;
  build: string;
}

/**
 * Signals facts to the workflow of a Job or CronJob, and starts the workflow when it does not run. A workflow without
 * earlier events (`recall` is false) usually does not run, so the first request starts it with its facts, without a
 * signal.
 */
export async function signalWithStart(
  workflows: JobWorkflows,
  job: ObjectRef,
  message: Observation<AnyFact, AnySettings> & { recall: boolean },
): Promise<void> {
  const { client, build } = workflows;
  const { recall, ...observation } = message;
  const { facts, settings } = observation;
  if (!recall && (await startWorkflow(workflows, { job, settings, recall, facts }))) return;
  await client.workflow.signalWithStart(getKind(job).workflow, {
    ...startOptions(build, { job, settings, recall }),
    signal: 'observe',
    signalArgs: [observation],
  });
}

/** Starts the workflow; returns false, and starts nothing, when it runs already. */
async function startWorkflow({ client, build }: JobWorkflows, input: AnyInput): Promise<boolean> {
  try {
    await client.workflow.start(getKind(input.job).workflow, startOptions(build, input));
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Signals a workflow; has no effect when the workflow does not run. */
export async function signalIfRunning(
  { client }: JobWorkflows,
  job: ObjectRef,
  observation: Observation<AnyFact, AnySettings>,
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId(job.cluster, job.uid, job.kind));
  await resultUnlessEnded(handle.signal('observe', observation));
}

/** The result of a request about a run; undefined when the run has ended. */
export async function resultUnlessEnded<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Terminates the current run and starts a run of this build in one request, so that two runs never exist. */
export async function replaceRun(
  { client, build }: JobWorkflows,
  job: ObjectRef,
  settings: AnySettings,
): Promise<void> {
  await client.workflow.start(getKind(job).workflow, {
    ...startOptions(build, { job, settings, recall: true }),
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
  });
}

/**
 * The server adds this attribute, with these values, when a run has completed its first workflow task. A value that
 * is set at the start causes no change in the list of workflows.
 */
const BUILD_IDS = defineSearchAttributeKey('BuildIds', SearchAttributeType.KEYWORD_LIST);

type AnyInput = RunInput<never, AnyFact, AnySettings>;

/** The options with which a workflow is started. */
function startOptions(build: string, input: AnyInput): WorkflowStartOptions & { args: [AnyInput] } {
  const { job } = input;
  return {
    workflowId: workflowId(job.cluster, job.uid, job.kind),
    taskQueue: taskQueue(job.cluster, build),
    args: [input],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    typedSearchAttributes: [{ key: BUILD_IDS, value: ['unversioned', `unversioned:${build}`] }],
    staticSummary: `${job.namespace}/${job.name}`,
    memo: { job },
  };
}

/** The runs that have failed since an instant because their history does not fit the decisions of a replay. */
export function failedJobWorkflows(client: Client, since: Date): AsyncGenerator<JobRun> {
  return jobRuns(client, `ExecutionStatus = 'Failed' AND CloseTime >= '${since.toISOString()}'`);
}

/** The running Job workflows of one cluster, or of all clusters. */
export async function* runningJobWorkflows(client: Client, cluster = ''): AsyncGenerator<JobRun> {
  // The workflow ids of every kind begin with the cluster.
  const prefix = cluster === '' ? '' : `${cluster}/`;
  // The server may not understand a name with unusual characters, so this function compares the name too.
  const isOfCluster = PLAIN.test(prefix) ? ` AND WorkflowId STARTS_WITH '${prefix}'` : '';
  for await (const run of jobRuns(client, `ExecutionStatus = 'Running'${isOfCluster}`))
    if (run.id.startsWith(prefix)) yield run;
}

/** The runs of Job workflows that meet the condition of a visibility query, page by page. */
async function* jobRuns(client: Client, condition: string): AsyncGenerator<JobRun> {
  const types = ALL_KINDS.map(({ workflow }) => `'${workflow}'`).join(', ');
  const query = `WorkflowType IN (${types}) AND ${condition}`;
  const listing = client.workflow.list({ query, pageSize: 1000 });
  for await (const { workflowId: id, runId, taskQueue: queue, memo } of listing)
    yield { id, job: memo?.['job'] as ObjectRef, runId, taskQueue: queue };
}

/** Matches a name that needs no escape in a visibility query. */
const PLAIN = /^[\w.:@/ -]+$/;

/** The ids of the running Job workflows of a cluster. */
export async function runningIds(client: Client, cluster: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { id } of runningJobWorkflows(client, cluster)) ids.add(id);
  return ids;
}

/** The namespace's id. The value changes when the server loses its database. */
export async function namespaceId(client: Client): Promise<string> {
  const { namespaceInfo } = await client.workflowService.describeNamespace({
    namespace: client.options.namespace,
  });
  return namespaceInfo?.id ?? '';
}

/** Ends the run of a CronJob that this installation does not control. A later run recalls its state from the ledger. */
export async function stopRun(
  { client }: JobWorkflows,
  { id, runId }: JobRun,
  reason: string,
): Promise<void> {
  await resultUnlessEnded(client.workflow.getHandle(id, runId).terminate(reason));
}
