import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { startLocalServers, type LocalServers } from '../../infra/local/local-servers.ts';
import { createSupervisor, type Supervisor } from '../../infra/local/processes/supervisor.ts';
import { GANG_API, POD_GROUP_API } from '../../workflows/kubernetes/names.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { connectTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { gangObjects } from '../support/gang-objects.ts';
import { startServers, type ServerEnvironment } from '../support/shared-servers/start-servers.ts';
import { createCronJob, recordedVersions, startsOfEachTime } from '../support/upgraded-cluster.ts';
import { verifyAll } from '../support/verify.ts';

// The control plane is upgraded from 1.36 to 1.37 while Jobledger and Jobs run. `JOBLEDGER_LOCAL_KUBERNETES=1.36 npm test --
// test/faults/control-plane-upgrade` runs this file.

const VARIABLE = 'JOBLEDGER_LOCAL_KUBERNETES';
const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-control-plane-'));
const clusterDir = mkdtempSync(join(tmpdir(), 'jobledger-control-plane-cluster-'));
const FOREVER = { command: ['sleep', '600'] };
const GANG = { completionMode: 'Indexed', completions: 3, parallelism: 3 };

let servers: LocalServers;
let environment: ServerEnvironment;
let controlPlane: LocalServers;
let services: Supervisor;
let cluster: TestCluster;
let pool: Pool;

function startControlPlane(minor: string): Promise<LocalServers> {
  process.env[VARIABLE] = minor;
  const options = { name: 'local', gangScheduling: true, builtInCronJobController: false };
  return startLocalServers({ stateDir: clusterDir, clusters: [options], report: () => undefined });
}

beforeAll(async () => {
  controlPlane = await startControlPlane('1.36');
  const started = await startServers({ stateDir, postgres: true, kafka: true, temporal: true });
  ({ servers, environment } = started);
  const { kubeconfig, adminKubeconfig = '' } = controlPlane.addresses;
  cluster = connectTestCluster(adminKubeconfig, 'local');
  services = createSupervisor({
    runDir: join(stateDir, 'run', 'services'),
    logsDir: join(stateDir, 'logs'),
    report: () => undefined,
  });
  pool = new Pool({ connectionString: environment.DATABASE_URL ?? '' });
  const variables = {
    ...process.env,
    ...environment,
    JOBLEDGER_KUBECONFIG: kubeconfig,
    JOBLEDGER_CONTEXTS: 'local',
    JOBLEDGER_STATE_DIR: stateDir,
    JOBLEDGER_CONTROLLERS: 'job,ttl,cronjob',
    JOBLEDGER_GANG_SCHEDULING: 'true',
  };
  const used = serviceChildren(variables).filter(({ name }) => name !== 'api');
  await Promise.all(used.map((spec) => services.start(spec)));
}, 300_000);

afterAll(async () => {
  delete process.env[VARIABLE];
  await pool?.end();
  await services?.stop();
  await Promise.all([controlPlane?.stop(), servers?.stop()]);
  for (const dir of [stateDir, clusterDir]) rmSync(dir, { recursive: true, force: true });
}, 60_000);

function waitForPods(job: string, count: number): Promise<Pod[]> {
  return eventually(`${job} has ${count} pods`, 60, async () => {
    const pods = (await cluster.listPods(job)).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    return pods.length === count ? pods : undefined;
  });
}

function podGroupNames(pods: readonly Pod[]): (string | undefined)[] {
  return [...new Set(pods.map(({ spec }) => spec.schedulingGroup?.podGroupName))];
}

describe('in an upgrade of the control plane under running Jobs,', () => {
  let before: string | undefined;

  it('Jobs, a CronJob and a gang run on 1.36, whose version is recorded', async () => {
    await cluster.createJob('running', { parallelism: 2, completions: 2 }, { command: ['sleep', '45'] });
    await cluster.createJob('suspended', { suspend: true }, {});
    await cluster.createJob('gang', GANG, FOREVER);
    await createCronJob(cluster, 'ticking');
    const pods = await waitForPods('gang', 3);
    [before] = podGroupNames(pods);
    expect(before).toBeDefined();
    await cluster.jobWhere('running', 'runs', ({ status }) => status?.ready === 2);
    expect(await recordedVersions(pool)).toEqual([expect.stringMatching(/^v1\.36\./)]);
  }, 120_000);

  it('the start of 1.37 is refused, and names the objects that 1.37 cannot read', async () => {
    await controlPlane.stop();
    await expect(startControlPlane('1.37')).rejects.toThrow(
      /has objects that Kubernetes 1\.37 cannot read: podgroups default\/gang-\S+, workloads default\/gang-\S+;/,
    );
    controlPlane = await startControlPlane('1.36');
  }, 180_000);

  it('the control plane starts with 1.37 after the gang was suspended and its objects were deleted', async () => {
    await cluster.patchJob('gang', { spec: { suspend: true } });
    await waitForPods('gang', 0);
    for (const resource of ['podgroups', 'workloads']) {
      const path = `/apis/${GANG_API}/namespaces/default/${resource}`;
      await cluster.client.request({ method: 'DELETE', path });
      // A PodGroup stays until its pods are gone.
      await eventually(`the ${resource} are gone`, 60, async () => {
        const { items } = await cluster.client.request<{ items: unknown[] }>({ method: 'GET', path });
        return items.length === 0 ? true : undefined;
      });
    }
    await controlPlane.stop();
    controlPlane = await startControlPlane('1.37');
    const { gitVersion } = await cluster.client.request<{ gitVersion: string }>({
      method: 'GET',
      path: '/version',
    });
    expect(gitVersion).toMatch(/^v1\.37\./);
  }, 180_000);

  it('the earlier Jobs and a new Job complete', async () => {
    const { status } = await cluster.finished('running', 120);
    // The local node and the processes of its pods stop with the cluster.
    const failed = status?.failed ?? 0;
    expect(status).toMatchObject({ succeeded: 2 });
    expect(failed).toBeLessThanOrEqual(4);
    expect(await cluster.listPods('running')).toHaveLength(2 + failed);
    await cluster.patchJob('suspended', { spec: { suspend: false } });
    expect((await cluster.finished('suspended', 60)).status).toMatchObject({ succeeded: 1 });
    await cluster.createJob('later', {}, {});
    expect((await cluster.finished('later', 60)).status).toMatchObject({ succeeded: 1 });
  }, 240_000);

  it('the resumed gang gets a PodGroup of the same name as before, and all of its pods name this PodGroup (J-8.27)', async () => {
    await cluster.patchJob('gang', { spec: { suspend: false } });
    expect(podGroupNames(await waitForPods('gang', 3))).toEqual([before]);
    const objects = gangObjects(cluster, POD_GROUP_API);
    const [workload] = await objects.listWorkloads('gang');
    expect(workload?.spec.podGroupTemplates[0]?.schedulingPolicy).toEqual({ gang: { minCount: 3 } });
    await cluster.jobWhere('gang', 'runs again', ({ status }) => status?.ready === 3, 60);
  }, 120_000);

  it('the CronJob starts once at each scheduled time', async () => {
    const starts = await startsOfEachTime(pool, 'ticking');
    expect(starts.every((jobs) => jobs === 1)).toBe(true);
  }, 150_000);

  it('the new version is recorded, and every decision is the same when it is made again from the ledger', async () => {
    await eventually('the version is recorded', 180, async () =>
      (await recordedVersions(pool)).every((version) => version.startsWith('v1.37.')) ? true : undefined,
    );
    const { findings, decisions, exitCode } = await verifyAll({
      environment: { ...process.env, ...environment },
      stateDir,
    });
    expect({ findings, exitCode }).toEqual({ findings: [], exitCode: 0 });
    expect(decisions).toBeGreaterThan(10);
  }, 240_000);
});
