import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loadYaml } from '../support/yaml.ts';
import { applyManifests } from '../../infra/local/cluster/apply-manifests.ts';
import type { LocalServers } from '../../infra/local/local-servers.ts';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import { connectTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { startServers } from '../support/shared-servers/start-servers.ts';

// A user tries Jobledger on a given cluster for the first time. The audit log is not checked, because requests must be refused here.
const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-first-minutes-'));
let servers: LocalServers;
let environment: NodeJS.ProcessEnv;
let cluster: TestCluster;

beforeAll(async () => {
  ({ servers, environment } = await startServers({
    stateDir,
    postgres: true,
    kafka: true,
    temporal: true,
    // The tests of this file delete the namespace of Jobledger in the cluster.
    ownClusters: true,
    clusters: [{ name: 'given', node: false }],
  }));
  cluster = connectTestCluster(servers.addresses.adminKubeconfig ?? '', 'given');
}, 240_000);

afterAll(async () => {
  await servers?.stop();
  rmSync(stateDir, { recursive: true, force: true });
}, 60_000);

interface Up {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** Resolves when this line is on standard error. */
  says(what: string): Promise<void>;
  ended: Promise<number | null>;
}

let running: Up | undefined;

afterEach(async () => {
  running?.child.kill('SIGTERM');
  await running?.ended;
});

function up(kubeconfig: string): Up {
  const args = ['up', '--kubeconfig', kubeconfig, '--state-dir', mkdtempSync(join(stateDir, 'up-'))];
  const child = spawn('node', ['cli/jobledger.mjs', ...args], {
    env: { ...process.env, ...environment },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  running = {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    says: async (what) => {
      await eventually(`"${what}" is printed`, 30, async () =>
        stderr.includes(what) ? true : undefined,
      ).catch((error: unknown) => {
        throw new Error(`printed instead: ${stderr}`, { cause: error });
      });
    },
    ended,
  };
  return running;
}

interface Kubeconfig {
  clusters: { name: string; cluster: Record<string, string> }[];
  users: { name: string; user: Record<string, string> }[];
}

/** Writes a copy of the administrator's kubeconfig with some fields replaced. */
function kubeconfigWith(name: string, change: (config: Kubeconfig) => void): string {
  const config = loadYaml<Kubeconfig>(readFileSync(servers.addresses.adminKubeconfig ?? '', 'utf8'));
  change(config);
  const file = join(stateDir, name);
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const MANIFESTS =
  'kubectl apply -f infra/deploy/kubernetes/namespace.yaml -f infra/deploy/kubernetes/rbac.yaml';

describe('the command `jobledger up` on a given cluster', () => {
  it('prints the address and the reason when the cluster does not answer, and continues to wait', async () => {
    const kubeconfig = kubeconfigWith('away.kubeconfig', ({ clusters }) => {
      for (const each of clusters) each.cluster['server'] = 'https://127.0.0.1:1';
    });
    const { says, stdout } = up(kubeconfig);
    await says(
      'cluster "given": 127.0.0.1:1 does not answer (connect ECONNREFUSED 127.0.0.1:1); waiting for it',
    );
    expect(stdout()).toBe('');
  }, 120_000);

  it('prints the missing rights and the remedy when its account has no rights in the cluster, and ends with status 2', async () => {
    const { token } = await createToken('default', 'default');
    const kubeconfig = kubeconfigWith('nobody.kubeconfig', ({ users }) => {
      for (const each of users) each.user = { token };
    });
    const { says, ended, stderr } = up(kubeconfig);
    await says('cluster "given": the account of Jobledger may not get/list/watch/patch jobs.batch');
    await says(`create/update leases.coordination.k8s.io in jobledger; ${MANIFESTS}`);
    expect(await ended).toBe(2);
    expect(stderr()).toMatch(/jobledger: ingester: cluster "given" refuses us: .*kubectl apply/);
    expect(stderr()).not.toContain(token);
  }, 120_000);

  it('prints the missing namespace and the remedy, and becomes ready after the namespace was created', async () => {
    await removeNamespace();
    const { says, stdout, child, ended } = up(servers.addresses.adminKubeconfig ?? '');
    await says(`cluster "given": the namespace jobledger is missing; ${MANIFESTS}`);
    await says(
      'ingester: cluster "given": the cluster is refused; trying again: the namespace jobledger of our Lease',
    );
    await says('waiting for ingester: cluster "given": the cluster is refused');
    expect(stdout()).toBe('');
    for (const file of ['namespace.yaml', 'rbac.yaml'])
      await applyManifests(cluster.client, join('infra', 'deploy', 'kubernetes', file));
    await eventually('it is ready', 60, async () =>
      stdout().startsWith('jobledger is ready') ? true : undefined,
    );
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }, 180_000);
});

async function createToken(namespace: string, account: string): Promise<{ token: string }> {
  const answer = await cluster.client.request<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  return answer.status;
}

async function removeNamespace(): Promise<void> {
  const path = '/api/v1/namespaces/jobledger';
  await cluster.client.request({ method: 'DELETE', path });
  await eventually('the namespace is gone', 60, async () => {
    try {
      await cluster.client.request({ method: 'GET', path });
      return undefined;
    } catch (error) {
      return error instanceof KubernetesApiError && error.status === 404 ? true : undefined;
    }
  });
}
