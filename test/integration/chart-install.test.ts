import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { CHART, renderChart } from '../../infra/deploy/manifests/chart.ts';
import { serverSecrets, startChartServers } from '../support/chart-servers.ts';
import type { Kubectl } from '../support/kubectl.ts';
import type { TestServers } from '../support/shared-servers/start-servers.ts';
import { loadAllYaml } from '../support/yaml.ts';

// Helm installs the chart in a cluster whose node runs the hooks' commands as processes, with this source tree as the image.
const NAMESPACE = 'batch-control';
const RELEASE = 'jl';

const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-chart-install-'));
let helm: string;
let test: TestServers;
let kubectl: Kubectl;

beforeAll(async () => {
  ({ helm, test, kubectl } = await startChartServers(stateDir, NAMESPACE));
  mkdirSync(join(stateDir, 'app'));
  const program = pathToFileURL(path.resolve('cli/jobledger.mjs')).href;
  writeFileSync(join(stateDir, 'app', 'jobledger.mjs'), `import '${program}';\n`);
}, 240_000);

afterEach(async () => {
  await kubectl.run('delete', 'secrets,jobs', '--all', '-n', NAMESPACE);
});

afterAll(async () => {
  await test?.servers.stop();
  rmSync(stateDir, { recursive: true, force: true });
}, 60_000);

/** The image is this source tree. No service runs, because the node knows only commands that a pod itself names. */
const values = (more: object = {}): object => ({
  cluster: { name: 'prod' },
  environment: { DATABASE_WITHOUT_TLS: true, NODE_ENV: 'test' },
  volumes: [{ name: 'app', hostPath: { path: join(stateDir, 'app') } }],
  volumeMounts: [{ name: 'app', mountPath: '/app' }],
  services: Object.fromEntries(
    ['ingester', 'dispatcher', 'worker', 'projector', 'api'].map((name) => [name, { replicas: 0 }]),
  ),
  ...more,
});

interface Ran {
  code: number;
  output: string;
  seconds: number;
}

function runHelm(args: readonly string[], given?: object): Promise<Ran> {
  const began = performance.now();
  const env = {
    PATH: process.env['PATH'],
    HOME: stateDir,
    KUBECONFIG: test.servers.addresses.adminKubeconfig,
  };
  return new Promise((resolve) => {
    const child = execFile(
      helm,
      [...args, '--namespace', NAMESPACE, ...(given === undefined ? [] : ['--values', '-'])],
      { env },
      (error, stdout, stderr) =>
        resolve({
          code: error === null ? 0 : Number(error.code ?? 1),
          output: `${stdout}${stderr}`,
          seconds: (performance.now() - began) / 1000,
        }),
    );
    child.stdin?.end(given === undefined ? '' : JSON.stringify(given));
  });
}

async function createSecret(name: string, entries: Record<string, string | undefined>): Promise<void> {
  const literals = Object.entries(entries).flatMap(([key, value]) =>
    value === undefined ? [] : [`--from-literal=${key}=${value}`],
  );
  await kubectl.run('create', 'secret', 'generic', name, '-n', NAMESPACE, ...literals);
}

/** Creates the Secrets that docs/operate/install.md names; `changed` replaces variables. */
async function createSecrets(changed: Record<string, string> = {}): Promise<void> {
  const secrets = serverSecrets({ ...test.environment, ...changed });
  for (const [name, entries] of Object.entries(secrets)) await createSecret(name, entries);
  await createSecret('jobledger-api-tokens', { tokens: '' });
}

async function tables(): Promise<string[]> {
  const client = new Client(test.environment.DATABASE_URL);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

describe('the installation of Jobledger with the chart', () => {
  it('fails within a minute when the Secrets are missing, and names the missing variables and files of each service', async () => {
    const { code, output, seconds } = await runHelm(['install', RELEASE, CHART], values());
    expect(code).toBe(1);
    expect(seconds).toBeLessThan(60);
    for (const text of [
      'KAFKA_BROKERS: name at least one broker as host:port',
      'TEMPORAL_ADDRESS: set the address of Temporal, host:port',
      'DATABASE_URL: set the address of Postgres, postgres://…',
      'the api cannot start',
      'JOBLEDGER_API_TOKENS_FILE: the file',
    ])
      expect(output).toContain(text);
    await runHelm(['uninstall', RELEASE]);
  }, 120_000);

  it('fails within a minute when no server answers, and names each server without its password', async () => {
    await createSecrets({
      KAFKA_BROKERS: '127.0.0.1:9',
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      DATABASE_URL: 'postgres://jobledger:never-shown@127.0.0.1:9/jobledger',
    });
    const { code, output, seconds } = await runHelm(['install', RELEASE, CHART], values());
    expect(code).toBe(1);
    expect(seconds).toBeLessThan(60);
    expect(output).toContain('Kafka: no broker answers at 127.0.0.1:9; check KAFKA_BROKERS');
    expect(output).toContain('Temporal: Temporal at 127.0.0.1:9 does not answer');
    expect(output).toMatch(/Postgres: .*127\.0\.0\.1:9/);
    expect(output).not.toContain('never-shown');
    await runHelm(['uninstall', RELEASE]);
  }, 120_000);

  it('succeeds when the servers answer, migrates the schema, prints the next steps, can be upgraded, and is removed completely', async () => {
    await createSecrets();
    const installed = await runHelm(['install', RELEASE, CHART], values());
    expect([installed.code, installed.output]).toEqual([
      0,
      expect.stringContaining('controls the cluster prod'),
    ]);
    expect(installed.output).toContain(`kubectl -n ${NAMESPACE} port-forward service/${RELEASE}-api 8080:80`);
    expect(await tables()).toContain('job_statuses');

    const more = { podLabels: { team: 'batch' }, topologySpread: [], dashboards: { enabled: true } };
    const upgraded = await runHelm(['upgrade', RELEASE, CHART], values(more));
    expect([upgraded.code, upgraded.output]).toEqual([0, expect.stringContaining('REVISION: 2')]);

    expect((await runHelm(['uninstall', RELEASE, '--wait'])).code).toBe(0);
    const left = await kubectl.run(
      'get',
      'all,configmaps,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets,jobs',
      '--namespace',
      NAMESPACE,
      '--selector',
      `app.kubernetes.io/instance=${RELEASE}`,
      '--output',
      'name',
    );
    expect(left).toBe('');
  }, 180_000);
});

describe('the installation of Jobledger with the chart for several clusters', () => {
  const several = (...contexts: string[]): object =>
    values({ cluster: { contexts }, secrets: { kubeconfig: 'jobledger-clusters' } });

  it('fails when the Secret has no kubeconfig, or a kubeconfig without all of the contexts', async () => {
    await createSecrets();
    const without = await runHelm(['install', RELEASE, CHART], several('local'));
    expect(without.output).toMatch(/the worker cannot start.*\n +clusters: kubeconfig .* cannot be read/);
    await runHelm(['uninstall', RELEASE]);
    await createSecret('jobledger-clusters', { kubeconfig: kubeconfig() });
    const { code, output } = await runHelm(['install', RELEASE, CHART], several('local', 'east'));
    expect(code).toBe(1);
    expect(output).toMatch(/clusters: kubeconfig .* has no context "east"; it has .*local/);
    expect(output).not.toContain('the projector cannot start');
    await runHelm(['uninstall', RELEASE]);
  }, 120_000);

  it('succeeds when all clusters answer', async () => {
    await createSecrets();
    await createSecret('jobledger-clusters', { kubeconfig: kubeconfig() });
    const { code, output } = await runHelm(['install', RELEASE, CHART], several('local'));
    expect([code, output]).toEqual([0, expect.stringContaining('controls the clusters local')]);
    await runHelm(['uninstall', RELEASE]);
  }, 120_000);

  it('can replace an installation for one cluster after a separate release has taken over the service accounts', async () => {
    await createSecrets();
    await createSecret('jobledger-clusters', { kubeconfig: kubeconfig() });
    expect((await runHelm(['install', RELEASE, CHART], values())).code).toBe(0);
    const accounts = ['install', `${RELEASE}-accounts`, CHART, '--set', 'deploy=false,accounts.shared=true'];
    expect((await runHelm(accounts)).code).toBe(0);
    const contexts = ['cluster.name=', 'cluster.contexts={local}', 'secrets.kubeconfig=jobledger-clusters'];
    const settings = contexts.flatMap((each) => ['--set', each]);
    const { code, output } = await runHelm([
      'upgrade',
      RELEASE,
      CHART,
      '--reset-then-reuse-values',
      ...settings,
    ]);
    expect([code, output]).toEqual([0, expect.stringContaining('controls the clusters local')]);
    const roles = await kubectl.run('get', 'clusterroles', '-o', 'name');
    expect(roles).toContain(`/${RELEASE}-accounts-worker`);
    expect(roles).not.toContain(`/${RELEASE}-worker`);
    await runHelm(['uninstall', RELEASE, `${RELEASE}-accounts`]);
  }, 120_000);
});

/** Returns a kubeconfig for a Secret, which names no other files. */
function kubeconfig(): string {
  const text = readFileSync(test.servers.addresses.adminKubeconfig ?? '', 'utf8');
  expect(text).not.toMatch(/certificate-authority:|tokenFile:|client-key:/);
  return text;
}

describe('the command helm test', () => {
  it.each([
    [200, 0],
    [503, 1],
  ])(
    'requests /readyz of the Service, and an answer with status %i ends the command with exit code %i',
    async (status, code) => {
      const [pod] = loadAllYaml(renderChart(helm, { cluster: { name: 'prod' } }, ['tests/ready.yaml'])) as {
        spec: { containers: { command: string[]; args: string[]; env: { name: string; value: string }[] }[] };
      }[];
      const [container] = pod?.spec.containers ?? [];
      expect(container?.env).toEqual([
        { name: 'READY_URL', value: 'http://jobledger-api.jobledger.svc/readyz' },
      ]);
      const asked: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url);
        response.writeHead(status).end('the body');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        const READY_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`;
        const [, ...flags] = container?.command ?? [];
        const ended = await new Promise<{ code: number; output: string }>((resolve) => {
          execFile(
            process.execPath,
            [...flags, ...(container?.args ?? [])],
            { env: { READY_URL } },
            (error, output) => resolve({ code: error === null ? 0 : Number(error.code), output }),
          );
        });
        expect(ended).toEqual({ code, output: `${status} the body\n` });
        expect(asked).toEqual(['/readyz']);
      } finally {
        server.close();
      }
    },
  );
});
