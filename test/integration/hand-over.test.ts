import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { workflowBundle } from '../../services/adapters/temporal/bundle.ts';
import { signalWithStart } from '../../services/adapters/temporal/job-workflows.ts';
import { taskQueue, workflowId } from '../../services/adapters/temporal/names.ts';
import { createWorker } from '../../services/adapters/temporal/worker.ts';
import { takeOverOtherBuilds } from '../../services/dispatcher/runs/take-over-builds.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { aJob, CLUSTER } from '../support/builders.ts';
import { startTemporal, type ATemporal } from '../support/a-temporal.ts';
import { eventually } from '../support/eventually.ts';

const JOBS = ['one', 'two', 'three'].map((uid) => ({
  cluster: CLUSTER,
  uid,
  namespace: 'default',
  name: uid,
  kind: 'Job' as const,
}));

let temporal: ATemporal;
let client: Client;
/** Each Job has this state, in which it waits for a user. */
let waiting: JobState;
/** These are the UIDs of recalled Jobs. */
const recalled: string[] = [];

beforeAll(async () => {
  temporal = await startTemporal();
  ({ client } = temporal);
}, 120_000);

afterAll(() => temporal?.stop(), 60_000);

/** Runs a worker with the present workflow code under the name of a build while `work` runs. */
async function withWorker<T>(build: string, work: () => Promise<T>): Promise<T> {
  const { file } = await workflowBundle(PACKAGE_DIR);
  const worker = await createWorker({
    config: temporal.config,
    tasksAtOnce: 20,
    connection: temporal.connection,
    bundle: file,
    build,
    cluster: CLUSTER,
    activities: {
      reportFault: () => Promise.reject(new Error('not used')),
      schedulingApi: () => Promise.resolve('not-served'),
      carryOut: ({ decided }) => Promise.resolve({ decision: decided.id, received: 0, answered: [] }),
      recall: ({ uid }) => {
        recalled.push(uid);
        return Promise.resolve(waiting);
      },
    },
  });
  return worker.runUntil(work());
}

function getHandle(uid: string): WorkflowHandle {
  return client.workflow.getHandle(workflowId(CLUSTER, uid, 'Job'));
}

/** Starts the Jobs, which wait after a decision that only emits an Event. */
async function start(build: string): Promise<void> {
  const message = { facts: [aJob({ completionMode: 'Weekly' })], settings: DEFAULT_SETTINGS, recall: false };
  for (const job of JOBS) await signalWithStart({ client, build }, job, message);
  for (const { uid } of JOBS)
    await eventually(`the Job ${uid} waits`, 30, async () =>
      (await getHandle(uid).query<JobState>('state')).waiting === null ? undefined : true,
    );
}

function upgrade(build: string): Promise<boolean> {
  const { signal } = new AbortController();
  return takeOverOtherBuilds({ client, build }, () => DEFAULT_SETTINGS, { log: silentLog(), signal });
}

async function queues(): Promise<Set<string>> {
  const described = await Promise.all(JOBS.map(({ uid }) => getHandle(uid).describe()));
  return new Set(described.map((each) => each.taskQueue));
}

it('an upgrade hands over the state of each Job while workers of both builds run, and reads no stream again from the ledger', async () => {
  await withWorker('old', async () => {
    await start('old');
    waiting = await getHandle('one').query<JobState>('state');
    await withWorker('new', async () => {
      await eventually('all runs are listed and taken over', 30, async () =>
        (await upgrade('new')) &&
        (await queues()).size === 1 &&
        (await queues()).has(taskQueue(CLUSTER, 'new'))
          ? true
          : undefined,
      );
      expect(await getHandle('one').query<JobState>('state')).toEqual(waiting);
    });
  });
  expect(recalled).toEqual([]);
}, 120_000);

it('an upgrade after the old workers have stopped restores the state of each Job from its stream in the ledger', async () => {
  await withWorker('newer', async () => {
    await eventually('all runs are taken over', 60, async () =>
      (await upgrade('newer')) && (await queues()).has(taskQueue(CLUSTER, 'newer')) ? true : undefined,
    );
    await eventually('all Jobs are recalled', 30, () =>
      Promise.resolve(recalled.length >= JOBS.length ? true : undefined),
    );
  });
  expect(new Set(recalled)).toEqual(new Set(JOBS.map(({ uid }) => uid)));
}, 120_000);
