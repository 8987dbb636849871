import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import { PACKAGE_DIR } from '../../services/adapters/package-dir.ts';
import { workflowBundle } from '../../services/adapters/temporal/bundle.ts';
import { createWorker } from '../../services/adapters/temporal/worker.ts';
import type { CarryOutInput } from '../../workflows/activities.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { aJob, CLUSTER, JOB_NAME, JOB_UID } from '../support/builders.ts';
import { startTemporal, type ATemporal } from '../support/a-temporal.ts';
import { eventually } from '../support/eventually.ts';

const JOB = { cluster: CLUSTER, uid: JOB_UID, namespace: 'default', name: JOB_NAME };

let temporal: ATemporal;
let client: Client;
let handle: WorkflowHandle;
const decided: CarryOutInput['decided'][] = [];

beforeAll(async () => {
  temporal = await startTemporal();
  ({ client } = temporal);
  handle = client.workflow.getHandle('slow-job');
}, 120_000);

afterAll(async () => {
  await handle?.terminate().catch(() => undefined);
  await temporal?.stop();
}, 60_000);

/** A worker of its own with an empty cache; `carryOut` carries out each decision. */
async function withWorker(carryOut: () => Promise<void>, work: () => Promise<void>): Promise<void> {
  const { file, build } = await workflowBundle(PACKAGE_DIR);
  const worker: Worker = await createWorker({
    config: temporal.config,
    connection: temporal.connection,
    bundle: file,
    build,
    cluster: CLUSTER,
    activities: {
      carryOut: async ({ decided: decision }) => {
        await carryOut();
        decided.push(decision);
        return [];
      },
      recall: () => Promise.reject(new Error('nothing is recalled')),
    },
  });
  await worker.runUntil(work());
}

/** Waits until the workflow rests after a decision. */
async function rested(decision: number): Promise<void> {
  await eventually(`decision ${decision} is folded`, 30, async () => {
    const { last } = await handle.query<JobState>('state');
    return last?.number === decision ? true : undefined;
  });
}

/** Signals a Job whose completion mode is unknown: the decision only emits an Event, and the Job rests. */
async function tellMode(completionMode: string): Promise<void> {
  const observation = { facts: [aJob({ completionMode })], settings: DEFAULT_SETTINGS };
  const { build } = await workflowBundle(PACKAGE_DIR);
  await client.workflow.signalWithStart('jobWorkflow', {
    workflowId: 'slow-job',
    taskQueue: `jobledger-${CLUSTER}-${build}`,
    args: [{ job: JOB, settings: DEFAULT_SETTINGS, recall: false }],
    workflowTaskTimeout: '2s',
    signal: 'observe',
    signalArgs: [observation],
  });
}

/** The number of completed workflow tasks. */
async function completedTasks(): Promise<number> {
  try {
    const { events } = await handle.fetchHistory();
    return (events ?? []).filter(({ workflowTaskCompletedEventAttributes: at }) => at != null).length;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 0;
    throw error;
  }
}

it('a decision is the same in a replay after its local activity outlasted the workflow task', async () => {
  await tellMode('Weekly');
  const heartbeat = (): Promise<void> =>
    eventually('the task is completed by a heartbeat', 30, async () =>
      (await completedTasks()) > 0 ? true : undefined,
    ).then(() => undefined);
  await withWorker(heartbeat, () => rested(1));
  await tellMode('Monthly');
  await withWorker(
    () => Promise.resolve(),
    () => rested(2),
  );
  const [first, second] = decided;
  expect(decided).toHaveLength(2);
  expect(second?.data.predecessor).toBe(first?.id);
}, 120_000);
