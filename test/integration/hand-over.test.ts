import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, Runtime, type NativeConnection } from '@temporalio/worker';
import { startLocalServers, type LocalServers } from '../../infra/local/servers.ts';
import { readConfig, temporalEnvironment, type TemporalConfig } from '../../services/adapters/config.ts';
import { PACKAGE_DIR } from '../../services/adapters/package-dir.ts';
import { silentLog } from '../../services/adapters/log.ts';
import {
  askToHandOver,
  isPolled,
  isRunning,
  runsOfOtherBuilds,
  takeOver,
} from '../../services/adapters/temporal/builds.ts';
import { workflowBundle } from '../../services/adapters/temporal/bundle.ts';
import { connectTemporal } from '../../services/adapters/temporal/connection.ts';
import { signalWithStart } from '../../services/adapters/temporal/job-workflows.ts';
import { taskQueue, workflowId } from '../../services/adapters/temporal/names.ts';
import { connectWorkers, createWorker } from '../../services/adapters/temporal/worker.ts';
import { takeOverOthers } from '../../services/dispatcher/take-over.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { aJob, CLUSTER } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-hand-over-'));
const JOBS = ['one', 'two', 'three'].map((uid) => ({
  cluster: CLUSTER,
  uid,
  namespace: 'default',
  name: uid,
}));

let servers: LocalServers;
let config: TemporalConfig;
let client: Client;
let connection: NativeConnection;
/** The state of each Job, which waits for a user. */
let waiting: JobState;
/** The UIDs of recalled Jobs. */
const recalled: string[] = [];

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  servers = await startLocalServers({ stateDir, temporal: true, say: () => undefined });
  config = readConfig(temporalEnvironment, { TEMPORAL_ADDRESS: servers.addresses.temporalAddress });
  client = await connectTemporal(config);
  connection = await connectWorkers(config);
}, 120_000);

afterAll(async () => {
  await connection?.close();
  await client?.connection.close();
  await servers?.stop();
  rmSync(stateDir, { recursive: true, force: true });
}, 60_000);

/** Runs a worker with the present workflow code under the name of a build while `work` runs. */
async function withWorker<T>(build: string, work: () => Promise<T>): Promise<T> {
  const { file } = await workflowBundle(PACKAGE_DIR);
  const worker = await createWorker({
    config,
    connection,
    bundle: file,
    build,
    cluster: CLUSTER,
    activities: {
      carryOut: () => Promise.resolve([]),
      recall: ({ uid }) => {
        recalled.push(uid);
        return Promise.resolve(waiting);
      },
    },
  });
  return worker.runUntil(work());
}

function handleOf(uid: string): WorkflowHandle {
  return client.workflow.getHandle(workflowId(CLUSTER, uid));
}

/** Starts the Jobs, which wait after a decision that only emits an Event. */
async function start(build: string): Promise<void> {
  const message = { facts: [aJob({ completionMode: 'Weekly' })], settings: DEFAULT_SETTINGS, recall: false };
  for (const job of JOBS) await signalWithStart({ client, build }, job, message);
  for (const { uid } of JOBS)
    await eventually(`the Job ${uid} waits`, 30, async () =>
      (await handleOf(uid).query<JobState>('state')).waiting === null ? undefined : true,
    );
}

function upgrade(build: string): Promise<boolean> {
  const workflows = { client, build };
  return takeOverOthers({
    others: () => runsOfOtherBuilds(workflows),
    queueOf: (cluster) => taskQueue(cluster, build),
    isPolled: (queue) => isPolled(workflows, queue),
    askToHandOver: (run) => askToHandOver(workflows, run, DEFAULT_SETTINGS),
    isRunning: (run) => isRunning(workflows, run),
    takeOver: (run) => takeOver(workflows, run, DEFAULT_SETTINGS),
    log: silentLog(),
    signal: new AbortController().signal,
  });
}

async function queues(): Promise<Set<string>> {
  const described = await Promise.all(JOBS.map(({ uid }) => handleOf(uid).describe()));
  return new Set(described.map((each) => each.taskQueue));
}

it('an upgrade passes the state of each Job on while workers of both builds run, and recalls nothing', async () => {
  await withWorker('old', async () => {
    await start('old');
    waiting = await handleOf('one').query<JobState>('state');
    await withWorker('new', async () => {
      await eventually('all runs are listed and taken over', 30, async () =>
        (await upgrade('new')) &&
        (await queues()).size === 1 &&
        (await queues()).has(taskQueue(CLUSTER, 'new'))
          ? true
          : undefined,
      );
      expect(await handleOf('one').query<JobState>('state')).toEqual(waiting);
    });
  });
  expect(recalled).toEqual([]);
}, 120_000);

it('an upgrade after the old workers have stopped recalls each Job', async () => {
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
