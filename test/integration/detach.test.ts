import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ledgerIn } from '../support/ledger-in.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { workflowBundle } from '../../services/adapters/temporal/bundle.ts';
import { pollersOfCluster, type Poller } from '../../services/adapters/temporal/pollers.ts';
import { detachCluster, type Detached } from '../../cli/verbs/detach/detach-cluster.ts';
import { OWN_FINALIZER, PLACEMENT_FINALIZER, RESERVED_FINALIZER } from '../../workflows/kubernetes/names.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { allEvents } from '../support/ledger-events.ts';
import { createPlaced } from '../support/placed-jobs.ts';
import { jobledger, type CommandResult } from '../support/rebuild.ts';
import { verifyAll } from '../support/verify.ts';

// After Jobledger has left a cluster, no object must be stuck, all others must stay, and a return must continue. The services
// run here, are stopped in the middle of Jobs, and start again afterwards.

let installation: Installation;
/** Pods of the Job `open` run until this file exists. */
let gate: string;
/** The pods had this content before the detachment. */
let before: Pod[];
let detached: Detached;

/** A detachment counts these Jobs and pods. */
const DETACHED = {
  jobCount: 4,
  podCount: 5,
  runningPodCount: 3,
  uncountedPodCount: 2,
  orphanCount: 0,
  openJobCount: 4,
  placedJobCount: 1,
};

beforeAll(async () => {
  const allow = [{ home: 'local', namespaces: ['*'] }];
  const JOBLEDGER_PLACEMENT = JSON.stringify({ clusters: [{ name: 'local', allow }] });
  installation = await install({ separate: true, environment: { JOBLEDGER_PLACEMENT } });
  gate = join(installation.stateDir, 'gate');
  await installation.startServices();
  const { cluster } = installation;
  const command = ['sh', '-c', `until [ -e ${gate} ]; do sleep 0.2; done`];
  await cluster.createJob('open', { parallelism: 1, completions: 1 }, { command });
  await cluster.createJob(
    'ends',
    { parallelism: 2, completions: 2, backoffLimit: 9 },
    { command: ['sleep', '600'] },
  );
  await cluster.createJob('deleted', {}, { command: ['sleep', '600'] });
  await cluster.createJob('over', {}, { command: ['true'] });
  await createPlaced(cluster, { name: 'placed', command: 'sleep 600' });
  // The built-in controller runs this Job.
  await cluster.createJob('foreign', { managedBy: undefined as never }, { command: ['sleep', '600'] });
  await cluster.finished('over');
  for (const [name, pods] of [
    ['open', 1],
    ['ends', 2],
    ['deleted', 1],
    ['foreign', 1],
    ['placed-m1', 1],
  ] as const)
    await eventually(`the pods of ${name} run`, 60, async () => {
      const running = (await cluster.listPods(name)).filter(({ status }) => status?.phase === 'Running');
      return running.length === pods ? true : undefined;
    });
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

/** Runs the verb as an administrator of the cluster does. */
function detach(...args: string[]): Promise<CommandResult> {
  const { environment, servers } = installation;
  const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, DATABASE_URL } = environment;
  const JOBLEDGER_KUBECONFIG = servers.addresses.adminKubeconfig;
  const temporal = { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE };
  const variables = { ...ledgerIn(environment), ...temporal, DATABASE_URL, JOBLEDGER_KUBECONFIG };
  return jobledger(variables, 'admin', 'detach', '--kube-context', 'local', ...args);
}

const kafka = (): KafkaConnection =>
  connectKafka(readConfig(kafkaEnvironment, installation.environment), silentLog());

/** Detaches the cluster in this process, with additional workers that seem to poll. */
async function releaseNow(begun: () => Poller[] = () => []): Promise<Detached> {
  const { cluster, temporal } = installation;
  const { build } = await workflowBundle(PACKAGE_DIR);
  const client = await temporal();
  try {
    return await detachCluster({
      client: cluster.client,
      kafka: kafka(),
      pollers: async () => [...(await pollersOfCluster(client, cluster.client.cluster, build)), ...begun()],
      leaseNamespace: 'jobledger',
      namespaces: [],
      claim: 'managed',
      controllers: ['job'],
      gangs: false,
      by: 'ann',
      dryRun: false,
      quietMs: 2000,
      signal: new AbortController().signal,
    });
  } finally {
    await client.connection.close();
  }
}

async function listPods(...jobs: string[]): Promise<Pod[]> {
  return (await Promise.all(jobs.map((name) => installation.cluster.listPods(name)))).flat();
}

const podFinalizers = async (name: string): Promise<unknown[]> =>
  (await listPods(name)).map(({ metadata }) => metadata.finalizers);

const detachments = async (): Promise<string[]> =>
  (await allEvents(installation.environment))
    .map(({ type }) => type)
    .filter((type) => type.endsWith('.detached'));

describe('a detachment while the services run', () => {
  it('is refused, names the services that still work on the cluster, and changes no object', async () => {
    before = await listPods('open', 'ends', 'deleted', 'foreign');
    const { exitCode, stderr } = await detach('--by', 'ann');
    expect(stderr).toMatch(/the cluster "local" is not detached:/);
    expect(stderr).toMatch(
      /\S+ holds the Lease jobledger\/jobledger-ingester-local-\w+: stop every ingester/,
    );
    expect(stderr).toMatch(
      /the worker \S+ polled the task queue jobledger-local-\S+ \d+ seconds? ago: stop every worker/,
    );
    expect(exitCode).toBe(2);
    expect(await listPods('open', 'ends', 'deleted', 'foreign')).toEqual(before);
    expect(await detachments()).toEqual([]);
  }, 60_000);
});

describe('a detachment after the services have stopped', () => {
  it('is necessary, because pods that are deleted and Jobs that are deleted in the foreground do not disappear', async () => {
    const { cluster } = installation;
    await installation.haltServices(['ingester', 'dispatcher', 'worker']);
    const [pod] = await listPods('ends');
    await cluster.deletePod(pod?.metadata.name ?? '', 1);
    await cluster.deleteJob('deleted', 'Foreground');
    // The last write of the node sets the grace period to 0 after the pod has ended.
    await eventually('both have ended, and the node has done with them', 30, async () => {
      const [ended] = await listPods('deleted');
      const other = await cluster.pod(pod?.metadata.name ?? '');
      const isOver = (each?: Pod): boolean =>
        each?.status?.phase === 'Failed' && each.metadata.deletionGracePeriodSeconds === 0;
      return isOver(ended) && isOver(other) ? true : undefined;
    });
    expect((await cluster.job('deleted'))?.metadata.deletionTimestamp).toBeDefined();
    before = await listPods('open', 'ends', 'deleted', 'foreign');
  }, 60_000);

  it('prints its plan in a dry run, and neither changes an object nor records an event', async () => {
    const { exitCode, stdout, stderr } = await detach('--dry-run');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^detaching the cluster "local", claim managed; nothing is changed or recorded \(--dry-run\)\n/,
    );
    expect(stdout).toMatch(/default\/deleted +1 +0 +1 +being deleted, open \(no controller\)\n/);
    expect(stdout).toMatch(/default\/ends +2 +1 +1 +open \(no controller\)\n/);
    expect(stdout).toMatch(/default\/ends: ends-\w+ \((Failed, uncounted|Running)\), ends-\w+ \(/);
    expect(stdout).toMatch(/default\/open +1 +1 +0 +open \(no controller\)\n/);
    expect(stdout).toMatch(/default\/placed +open \(no controller\) +local\/default\/placed-m1\n/);
    expect(stdout).toMatch(
      /the finalizer jobledger.dev\/placement would be removed from\n {2}default\/placed\n/,
    );
    expect(stdout).not.toMatch(/foreign|over/);
    const asJson = await detach('--dry-run', '-o', 'json', '--by', 'ann');
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      cluster: 'local',
      by: 'ann',
      dryRun: true,
      detachment: null,
      sums: {
        ...DETACHED,
        cronJobCount: 0,
      },
      jobs: [{ name: 'deleted' }, { name: 'ends' }, { name: 'open' }, { name: 'placed-m1' }],
    });
    expect((await installation.cluster.job('placed'))?.metadata.finalizers).toEqual([PLACEMENT_FINALIZER]);
    expect(stdout).toMatch(
      /the Lease jobledger\/jobledger-ingester-local-\w+: kubectl -n jobledger delete lease/,
    );
    expect(await listPods('open', 'ends', 'deleted', 'foreign')).toEqual(before);
    expect(await detachments()).toEqual([]);
  }, 60_000);

  it('removes the finalizers of the pods and placed Jobs of Jobledger, and changes no other objects', async () => {
    const foreign = await listPods('foreign');
    detached = await eventually('the worker counts as stopped', 30, () =>
      releaseNow().catch((error: Error) => {
        expect(error.message).toMatch(/polled the task queue/);
        return undefined;
      }),
    );
    expect(detached.done?.freed).toEqual({ freed: 5, gone: 0, failed: [] });
    expect(detached.done?.placed).toEqual({ freed: 1, gone: 0, failed: [] });
    expect([...(await podFinalizers('open')), ...(await podFinalizers('ends'))].flat()).not.toContain(
      OWN_FINALIZER,
    );
    expect(await listPods('foreign')).toEqual(foreign);
    expect(await podFinalizers('foreign')).toEqual([[RESERVED_FINALIZER]]);
  }, 60_000);

  it('lets Jobs and pods disappear that were deleted before, or are deleted afterwards', async () => {
    const { cluster } = installation;
    await cluster.createJob('later', {}, { command: ['true'] });
    await cluster.deleteJob('later', 'Foreground');
    for (const name of ['deleted', 'later'])
      await eventually(`the Job ${name} is gone`, 30, async () =>
        (await cluster.job(name)) === undefined ? true : undefined,
      );
    await eventually('no pod hangs', 30, async () => {
      const pods = await listPods('open', 'ends', 'deleted');
      return pods.every(({ metadata }) => metadata.deletionTimestamp === undefined) ? true : undefined;
    });
    expect(await listPods('ends')).toHaveLength(1);
  }, 60_000);

  it('lets a placed Job disappear when it is deleted, and its member remains as an ordinary Job', async () => {
    const { cluster } = installation;
    await cluster.deleteJob('placed', 'Background');
    await eventually('the placed Job is gone', 30, async () =>
      (await cluster.job('placed')) === undefined ? true : undefined,
    );
    expect((await cluster.job('placed-m1'))?.metadata.deletionTimestamp).toBeUndefined();
    expect((await podFinalizers('placed-m1')).flat()).not.toContain(OWN_FINALIZER);
  }, 60_000);

  it('is shown in SQL and in the history of a Job, with the user who detached and the number of uncounted pods', async () => {
    const rows = await eventually('the events are projected', 30, async () => {
      const found = await installation.sql<{ type: string; job_name: string | null; data: unknown }>(
        `select type, job_name, data from jobledger.events where type like '%.detached' order by type, job_name`,
      );
      return found.length === 5 ? found : undefined;
    });
    const common = { detachment: detached.done?.detachment, by: 'ann', cluster: 'local' };
    expect(rows).toMatchObject([
      {
        type: 'cluster.detached',
        job_name: null,
        data: {
          ...common,
          claim: 'managed',
          ...DETACHED,
        },
      },
      {
        type: 'job.detached',
        job_name: 'deleted',
        data: { ...common, podCount: 1, runningPodCount: 0, uncountedPodCount: 1 },
      },
      {
        type: 'job.detached',
        job_name: 'ends',
        data: { ...common, podCount: 2, runningPodCount: 1, uncountedPodCount: 1 },
      },
      {
        type: 'job.detached',
        job_name: 'open',
        data: { ...common, podCount: 1, runningPodCount: 1, uncountedPodCount: 0, open: true },
      },
      { type: 'job.detached', job_name: 'placed-m1', data: { ...common, podCount: 1, runningPodCount: 1 } },
    ]);
    const { DATABASE_URL } = installation.environment;
    const { stdout } = await jobledger(
      { DATABASE_URL, ...ledgerIn(installation.environment) },
      'history',
      'ends',
    );
    expect(stdout).toMatch(
      /detach +the cluster is detached by ann; the tracking finalizer of 2 pods is removed; 1 of them still running, to be counted by nobody; 1 pod ended and not counted; nobody controls the Job from now on/,
    );
  }, 60_000);

  it('can be repeated, and then changes no object', async () => {
    const nothing = { freed: 0, gone: 0, failed: [] };
    expect((await releaseNow()).done).toMatchObject({ freed: nothing, placed: nothing });
    expect(await verifyAll(installation)).toMatchObject({ findings: [], exitCode: 0 });
  }, 60_000);

  it('fails, and names a worker that has begun to poll during the detachment', async () => {
    let looks = 0;
    const begun = (): Poller[] => {
      looks += 1;
      return looks === 1 ? [] : [{ taskQueue: 'queue', identity: 'late', polledAt: Date.now() }];
    };
    await expect(releaseNow(begun)).rejects.toThrow(
      /workers have begun to poll during the detachment, .*\n {2}the worker late polled the task queue queue/,
    );
  }, 60_000);
});

describe('after a detachment, when the services start again,', () => {
  it('the Jobs continue, and a pod that ends without a finalizer is not counted but replaced', async () => {
    const { cluster } = installation;
    const [first] = await listPods('open');
    await installation.startServices(['ingester', 'dispatcher', 'worker']);
    await eventually('the Job of which a pod is gone has two pods again', 60, async () => {
      const running = (await listPods('ends')).filter(({ status }) => status?.phase === 'Running');
      return running.length === 2 ? true : undefined;
    });
    expect(existsSync(gate)).toBe(false);
    writeFileSync(gate, '');
    const job = await cluster.finished('open', 60);
    expect(job.status).toMatchObject({ succeeded: 1 });
    const pods = await listPods('open');
    expect(pods.map(({ status }) => status?.phase)).toEqual(['Succeeded', 'Succeeded']);
    expect(pods[0]?.metadata.uid).toBe(first?.metadata.uid);
    await eventually('the member of the placed Job that was deleted meanwhile is gone', 60, async () =>
      (await cluster.job('placed-m1')) === undefined ? true : undefined,
    );
    expect(await verifyAll(installation)).toMatchObject({ findings: [], exitCode: 0 });
  }, 120_000);
});
