import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { workflowBundle } from '../../services/adapters/temporal/bundle.ts';
import { failedJobWorkflows, signalWithStart } from '../../services/adapters/temporal/job-workflows.ts';
import { taskQueue, workflowId } from '../../services/adapters/temporal/names.ts';
import { connectWorkers, createWorker } from '../../services/adapters/temporal/worker.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createRestartFailed } from '../../services/dispatcher/runs/restart-failed.ts';
import type { CarryOutInput, ObjectRef } from '../../workflows/activities.ts';
import { fold } from '../../workflows/job/evolve/evolve.ts';
import { INITIAL_STATE, type JobState } from '../../workflows/job/state.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { aJob, CLUSTER, JOB_NAME } from '../support/builders.ts';
import { startTemporal, type ATemporal } from '../support/a-temporal.ts';
import { eventually } from '../support/eventually.ts';
import { startPausingProxy } from '../support/pausing-proxy.ts';

let temporal: ATemporal;
let client: Client;
let handle: WorkflowHandle;
/** Decisions that were carried out are recorded here instead of in a ledger. */
let decided: CarryOutInput['decided'][] = [];
let modes: string[] = [];

beforeAll(async () => {
  temporal = await startTemporal();
  ({ client } = temporal);
}, 120_000);

beforeEach(() => {
  [decided, modes] = [[], []];
});

afterEach(() => handle.terminate().catch(() => undefined));

afterAll(() => temporal?.stop(), 60_000);

/** Runs a worker with an empty cache while `work` runs; `carryOut` carries out each decision. */
async function withWorker(
  carryOut: () => Promise<void>,
  work: () => Promise<void>,
  { connection = temporal.connection, bundle }: { connection?: NativeConnection; bundle?: string } = {},
): Promise<void> {
  const { file, build } = await workflowBundle(PACKAGE_DIR);
  const worker: Worker = await createWorker({
    config: temporal.config,
    tasksAtOnce: 20,
    connection,
    bundle: bundle ?? file,
    build,
    cluster: CLUSTER,
    activities: {
      carryOut: async ({ decided: decision }) => {
        decided.push(decision);
        await carryOut();
        return { decision: decision.id, received: 0, answered: [] };
      },
      recall: () => Promise.resolve(recalled()),
      reportFault: () => Promise.reject(new Error('not used')),
      schedulingApi: () => Promise.resolve('not-served'),
    },
  });
  await worker.runUntil(work());
}

/** Returns the state after the last decision. */
function recalled(): JobState {
  const facts = modes.map((completionMode) => aJob({ completionMode }));
  const last = decided.at(-1);
  const before = fold(INITIAL_STATE, facts);
  return last === undefined ? before : fold(before, [last]);
}

/** Waits until the workflow has folded a decision and waits for signals. */
async function rested(decision: number): Promise<void> {
  const restart = await restartFailed();
  await eventually(`decision ${decision} is folded`, 60, async () => {
    await restart();
    if ((await handle.describe()).status.name !== 'RUNNING') return undefined;
    const { last } = await handle.query<JobState>('state');
    return last?.number === decision ? true : undefined;
  });
}

/** The timeout is short, so that a test does not wait long for a lost task. */
const SHORT = '2s';
/** The timeout is enough to load another bundle and to replay a history on a busy machine; a longer task would be repeated. */
const LONG = '30s';

/** Signals a Job with an unknown completion mode: the decision only emits an Event, and the Job then waits. */
async function tellMode(
  uid: string,
  completionMode: string,
  workflowTaskTimeout: typeof SHORT | typeof LONG = SHORT,
): Promise<void> {
  const job: ObjectRef = { cluster: CLUSTER, uid, namespace: 'default', name: JOB_NAME, kind: 'Job' };
  handle = client.workflow.getHandle(workflowId(CLUSTER, uid, 'Job'));
  modes.push(completionMode);
  const observation = { facts: [aJob({ completionMode })], settings: DEFAULT_SETTINGS };
  const { build } = await workflowBundle(PACKAGE_DIR);
  await client.workflow.signalWithStart('jobWorkflow', {
    workflowId: workflowId(CLUSTER, uid, 'Job'),
    taskQueue: taskQueue(CLUSTER, build),
    args: [{ job, settings: DEFAULT_SETTINGS, recall: false }],
    memo: { job },
    workflowTaskTimeout,
    signal: 'observe',
    signalArgs: [observation],
  });
}

/** Replaces failed runs as a dispatcher does; those of other tests stay. */
async function restartFailed(): Promise<() => Promise<void>> {
  const { build } = await workflowBundle(PACKAGE_DIR);
  return createRestartFailed({
    failed: (since) => failedJobWorkflows(client, since),
    isAssigned: (key) => key === handle.workflowId,
    restart: ({ job }) =>
      signalWithStart({ client, build }, job, { facts: [], settings: DEFAULT_SETTINGS, recall: true }),
    log: silentLog(),
    now: Date.now,
  });
}

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

/** Returns the events of the run; there are none before the run has started. */
async function history(): Promise<Events> {
  try {
    return (await handle.fetchHistory()).events ?? [];
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
}

const nothing = (): Promise<void> => Promise.resolve();

it('a decision is the same in a replay although its local activity took longer than a workflow task', async () => {
  await tellMode('slow-job', 'Weekly');
  const heartbeat = async (): Promise<void> =>
    void (await eventually('the task is completed by a heartbeat', 30, async () =>
      (await history()).some(({ workflowTaskCompletedEventAttributes: at }) => at != null) ? true : undefined,
    ));
  await withWorker(heartbeat, () => rested(1));
  await tellMode('slow-job', 'Monthly');
  await withWorker(nothing, () => rested(2));
  const [first, second] = decided;
  expect(decided).toHaveLength(2);
  expect(second?.data.predecessor).toBe(first?.id);
}, 120_000);

it('a workflow run whose replay decides differently is replaced, and the next decision continues from a recorded decision', async () => {
  const proxy = await startPausingProxy(temporal.config.TEMPORAL_ADDRESS);
  const connection = await connectWorkers({ ...temporal.config, TEMPORAL_ADDRESS: proxy.address });
  try {
    await tellMode('cut-off-job', 'Weekly');
    const lost = async (): Promise<void> => {
      if (decided.length > 1) return;
      proxy.pause();
      await eventually('the task of the decision is lost', 30, async () =>
        (await history()).some(({ workflowTaskTimedOutEventAttributes: at }) => at != null)
          ? true
          : undefined,
      );
      proxy.resume();
    };
    await withWorker(lost, () => rested(1), { connection });
  } finally {
    await connection.close();
    await proxy.close();
  }
  await tellMode('cut-off-job', 'Monthly');
  await withWorker(nothing, () => rested(2));
  const recorded = decided.map(({ id }) => id);
  expect(recorded).toContain(decided.at(-1)?.data.predecessor);
}, 180_000);

it('a workflow run whose replay decides differently in the middle of its history is also replaced', async () => {
  await tellMode('contradicted-job', 'Weekly', LONG);
  await withWorker(nothing, async () => {
    await rested(1);
    await tellMode('contradicted-job', 'Monthly', LONG);
    await rested(2);
  });
  await tellMode('contradicted-job', 'Yearly', LONG);
  await withWorker(nothing, () => rested(3), { bundle: await bundleThatDecidesOtherwise() });
  const recorded = decided.map(({ id }) => id);
  expect(recorded).toHaveLength(3);
  expect(decided[2]?.data.predecessor).toBe(recorded[1]);
}, 120_000);

/** Returns a bundle that uses other words in a decision, which is therefore another decision. */
async function bundleThatDecidesOtherwise(): Promise<string> {
  const { file } = await workflowBundle(PACKAGE_DIR);
  const [before, after] = ['the completion mode ', 'the mode '];
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(before);
  const other = join(mkdtempSync(join(tmpdir(), 'jobledger-bundle-')), 'workflow.js');
  writeFileSync(other, text.replaceAll(before, after));
  return other;
}
