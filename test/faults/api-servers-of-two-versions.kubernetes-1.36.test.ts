import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { apiServerSpec } from '../../infra/local/cluster/api-server.ts';
import { openCredentials, serviceAccountKey } from '../../infra/local/cluster/credentials.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import { startLocalServers, type LocalServers } from '../../infra/local/local-servers.ts';
import { createSupervisor, type Supervisor } from '../../infra/local/processes/supervisor.ts';
import { findTool } from '../../infra/local/tools/find-tool.ts';
import { connectTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { startForwarder, type Forwarder } from '../support/forwarder.ts';
import { startServers, type ServerEnvironment } from '../support/shared-servers/start-servers.ts';
import { createCronJob, recordedVersions, startsOfEachTime } from '../support/upgraded-cluster.ts';
import { verifyAll } from '../support/verify.ts';

// The API servers of a control plane are upgraded one after the other: for a time, servers of 1.36 and 1.37 share an etcd
// behind one address. `JOBLEDGER_LOCAL_KUBERNETES=1.36 npm test -- test/faults/api-servers-of-two-versions` runs this file.

const SECOND = 'second-kube-apiserver';
const JOBS = ['one', 'two', 'three', 'four', 'five', 'six'];
const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-api-servers-'));
const clusterDir = mkdtempSync(join(tmpdir(), 'jobledger-api-servers-cluster-'));
const report = (): void => undefined;
const stop = new AbortController();

let servers: LocalServers;
let environment: ServerEnvironment;
let controlPlane: LocalServers;
let processes: Supervisor;
let cluster: TestCluster;
let pool: Pool;
/** The cluster has this address, and the servers behind it get connections in turn. */
let address: Forwarder;
let behind: string[] = [];
/** Each server has got this number of connections. */
const taken = new Map<string, number>();

/** Starts an API server of 1.37 on the etcd of the control plane of 1.36. */
async function startSecond(): Promise<string> {
  const dir = join(clusterDir, 'cluster', 'local');
  const pki = (...parts: string[]): string => join(dir, 'pki', ...parts);
  const storage = await openCredentials(pki('etcd'), 'local-etcd');
  const port = (await reservePorts(join(stateDir, 'ports.json'), [SECOND]))(SECOND);
  const ports = JSON.parse(readFileSync(join(clusterDir, 'ports.json'), 'utf8')) as Record<string, number>;
  const spec = await apiServerSpec({
    name: SECOND,
    dir,
    port,
    etcdPort: ports['local-etcd'] ?? 0,
    program: await findTool('kube-apiserver', { kubernetes: '1.37', report, signal: stop.signal }),
    credentials: await openCredentials(pki(), 'local-cluster'),
    etcd: {
      authorityFile: storage.authorityFile,
      client: await storage.clientFiles('second', { commonName: 'kube-apiserver' }),
    },
    proxyAuthorityFile: (await openCredentials(pki('proxy'), 'local-proxy')).authorityFile,
    serviceAccounts: serviceAccountKey(pki()),
  });
  await processes.start(spec);
  return `${LOOPBACK}:${port}`;
}

/** Writes a copy of the kubeconfig that names the address of the cluster. */
function through(kubeconfig: string, name: string): string {
  const file = join(stateDir, name);
  const text = readFileSync(kubeconfig, 'utf8').replaceAll(
    /https:\/\/[\d.]+:\d+/g,
    `https://${address.host}:${address.port}`,
  );
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

beforeAll(async () => {
  controlPlane = await startLocalServers({
    stateDir: clusterDir,
    clusters: [{ name: 'local', builtInCronJobController: false }],
    report,
  });
  const { kubeconfig = '', adminKubeconfig = '' } = controlPlane.addresses;
  const first = /https:\/\/([\d.]+:\d+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1] ?? '';
  behind = [first];
  let connections = 0;
  address = await startForwarder(() => {
    const server = behind[(connections += 1) % behind.length] ?? '';
    taken.set(server, (taken.get(server) ?? 0) + 1);
    return server;
  });
  ({ servers, environment } = await startServers({ stateDir, postgres: true, kafka: true, temporal: true }));
  cluster = connectTestCluster(adminKubeconfig, 'local');
  processes = createSupervisor({
    runDir: join(stateDir, 'run', 'own'),
    logsDir: join(stateDir, 'logs'),
    report,
  });
  pool = new Pool({ connectionString: environment.DATABASE_URL ?? '' });
  const variables = {
    ...process.env,
    ...environment,
    JOBLEDGER_KUBECONFIG: through(kubeconfig, 'jobledger.kubeconfig'),
    JOBLEDGER_CONTEXTS: 'local',
    JOBLEDGER_STATE_DIR: stateDir,
    JOBLEDGER_CONTROLLERS: 'job,ttl,cronjob',
  };
  const used = serviceChildren(variables).filter(({ name }) => name !== 'api');
  await Promise.all(used.map((spec) => processes.start(spec)));
}, 300_000);

afterAll(async () => {
  stop.abort();
  await pool?.end();
  await processes?.stop();
  await address?.stop();
  await Promise.all([controlPlane?.stop(), servers?.stop()]);
  for (const dir of [stateDir, clusterDir]) rmSync(dir, { recursive: true, force: true });
}, 60_000);

describe('during an upgrade of the API servers of a cluster, one server after the other,', () => {
  it('Jobs run on the server of 1.36, whose version is recorded', async () => {
    await cluster.createJob('running', { parallelism: 2, completions: 2 }, { command: ['sleep', '60'] });
    await cluster.createJob('suspended', { suspend: true }, {});
    await createCronJob(cluster, 'ticking');
    await cluster.jobWhere('running', 'runs', ({ status }) => status?.ready === 2, 60);
    expect(await recordedVersions(pool)).toEqual([expect.stringMatching(/^v1\.36\./)]);
  }, 120_000);

  it('new Jobs complete while connections alternate between a server of 1.36 and a server of 1.37', async () => {
    behind = [...behind, await startSecond()];
    taken.clear();
    for (const name of JOBS) {
      await cluster.createJob(name, { parallelism: 2, completions: 3 }, { command: ['sleep', '2'] });
      address.drop();
    }
    for (const name of JOBS) {
      const { status } = await cluster.finished(name, 90);
      expect({ name, status }).toMatchObject({ status: { succeeded: 3 } });
      expect(await cluster.listPods(name)).toHaveLength(3);
    }
    for (const server of behind) expect(taken.get(server)).toBeGreaterThan(JOBS.length);
  }, 300_000);

  it('the earlier Jobs complete on the server of 1.37, whose version is recorded', async () => {
    behind = behind.slice(1);
    address.drop();
    await cluster.patchJob('suspended', { spec: { suspend: false } });
    expect((await cluster.finished('suspended', 60)).status).toMatchObject({ succeeded: 1 });
    expect((await cluster.finished('running', 120)).status).toMatchObject({ succeeded: 2 });
    expect(await cluster.listPods('running')).toHaveLength(2);
    await eventually('the version is recorded', 180, async () =>
      (await recordedVersions(pool)).every((version) => version.startsWith('v1.37.')) ? true : undefined,
    );
  }, 400_000);

  it('a CronJob starts once at each scheduled time, and no restore of the cluster is recorded', async () => {
    const starts = await startsOfEachTime(pool, 'ticking');
    expect(starts.every((jobs) => jobs === 1)).toBe(true);
    // A gap may be recorded, because a server that has just started does not know earlier versions.
    const restored = await pool.query("select from jobledger.events where type = 'cluster.restored'");
    expect(restored.rowCount).toBe(0);
  }, 200_000);

  it('every recorded decision is the same when it is made again from the ledger', async () => {
    const { findings, decisions, exitCode } = await verifyAll({
      environment: { ...process.env, ...environment },
      stateDir,
    });
    expect({ findings, exitCode }).toEqual({ findings: [], exitCode: 0 });
    expect(decisions).toBeGreaterThan(20);
  }, 120_000);
});
