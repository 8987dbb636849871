import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { API_VERBS } from '../../cli/api-verbs.ts';
import { VERBS } from '../../cli/verbs.ts';
import { writeCommandLine } from '../../infra/release/command-line/package-tree.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { createReads } from '../../services/api/reads.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  toRecords,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';
import { foldsInline } from '../support/folds-inline.ts';
import { listeningApi, type ListeningApi } from '../support/listening-api.ts';

jest.setTimeout(120_000);

/** This Job has ended and still exists. */
const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-04-01T00:02:00Z' }];
const ENDED = {
  ...jobObserved(
    120,
    aJob({
      version: 50,
      metadata: { uid: 'done-1', name: 'done' },
      status: { succeeded: 1, conditions, completionTime: '2026-04-01T00:02:00Z' },
    }),
    'done-1',
  ),
  subject: 'default/done',
};

function running(name: string, version: number): JobEvent {
  const spec = { managedBy: OWN_MANAGER };
  const event = jobObserved(130, aJob({ version, metadata: { uid: name, name }, spec }), name);
  return { ...event, subject: `default/${name}` };
}

const folder = mkdtempSync(join(tmpdir(), 'jobledger-command-line-'));
const tree = join(folder, 'tree');
const bins = join(folder, 'installed', 'node_modules', '.bin');
let postgres: RealPostgres;
let api: ListeningApi;

beforeAll(async () => {
  await writeCommandLine(PACKAGE_DIR, tree);
  const npm = (...args: string[]): string =>
    execFileSync('npm', [...args, '--offline', '--silent', '--cache', join(folder, 'cache')], {
      cwd: folder,
      encoding: 'utf8',
    });
  const [tarball = ''] = npm('pack', tree).trim().split('\n').slice(-1);
  npm('install', join(folder, tarball), '--prefix', join(folder, 'installed'), '--no-audit', '--no-fund');
  postgres = await startPostgres();
  const { database } = postgres;
  await emptied(database);
  await aProjector(database).project(
    toRecords([...aStory(), ENDED, running('runs-1', 51), running('runs-2', 52)]),
  );
  api = await listeningApi({ reads: createReads(database), folds: foldsInline(database.run) });
  writeFileSync(join(folder, 'token'), 'owner-token\n');
  writeFileSync(join(folder, 'limit.yaml'), '# Of the team.\n0\n');
});
afterAll(async () => {
  await api?.close();
  await postgres?.close();
  rmSync(folder, { recursive: true });
});

interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

function run(file: string, args: readonly string[], more: NodeJS.ProcessEnv): Promise<Ran> {
  const { PATH } = process.env;
  // The process has neither the modules of this tree nor a context or a compiled program of the user.
  const env = { PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, ...more };
  return new Promise((resolve) => {
    execFile(file, args, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

const given = (): NodeJS.ProcessEnv => ({
  JOBLEDGER_SERVER: api.url,
  JOBLEDGER_TOKEN_FILE: join(folder, 'token'),
});

/** Runs the installed package. */
const installed = (...args: string[]): Promise<Ran> => run(join(bins, 'jobledger'), args, given());

describe('the installed command-line package', () => {
  it.each([
    ['get', 'done', '-o', 'yaml'],
    ['get', '--deleted', '-o', 'json'],
    ['describe', 'pi'],
    ['why', 'pod/pi-a'],
    ['why', 'job/pi'],
    ['history', 'pi'],
    ['replay', 'pi'],
    ['what-if', '--all', '--set', 'spec.backoffLimit=0'],
    ['what-if', '--all', '--set-file', `spec.backoffLimit=${join(folder, 'limit.yaml')}`],
    ['compare', 'pi', 'done'],
    ['clusters'],
    ['suspend', 'runs-1', 'runs-2'],
    ['get', '--help'],
  ])('prints the same output as the command line of the whole installation: %s %s %s %s', async (...args) => {
    const whole = [join(PACKAGE_DIR, 'cli', 'jobledger.mjs'), ...args];
    const [own, other] = await Promise.all([installed(...args), run(process.execPath, whole, given())]);
    expect(own).toEqual({ exitCode: 0, stdout: other.stdout, stderr: '' });
    expect(other.stdout).not.toBe('');
  });

  it('submits a Job and waits for its end', async () => {
    const file = join(folder, 'job.yaml');
    writeFileSync(file, 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\nspec: {template: {}}\n');
    expect(await installed('submit', '-f', file, '--cluster', 'local')).toEqual({
      exitCode: 0,
      stdout: 'local/default/pi created\n',
      stderr: '',
    });
    expect(await installed('wait', 'done')).toEqual({
      exitCode: 0,
      stdout: 'east/default/done: Succeeded\n',
      stderr: '',
    });
  });

  it('signs in, and afterwards needs no address of the API', async () => {
    const login = await installed('login', api.url, '--name', 'here', '--token-file', join(folder, 'token'));
    expect(login.stdout).toContain('as owner');
    const bin = join(bins, 'jobledger');
    expect(await run(bin, ['get', 'done', '-o', 'name'], {})).toEqual({
      exitCode: 0,
      stdout: 'east/default/done\n',
      stderr: '',
    });
    expect((await run(bin, ['logout'], {})).exitCode).toBe(0);
  });

  it('is also a plugin of kubectl, and completes verbs and names of Jobs in a shell', async () => {
    const plugin = join(bins, 'kubectl-jobledger');
    expect((await run(plugin, ['get', 'done', '-o', 'name'], given())).stdout).toBe('east/default/done\n');
    const { stdout } = await installed('completion', 'bash');
    expect(stdout).toContain('complete -F _jobledger jobledger kubectl-jobledger');
    expect(stdout).toContain('what-if');
    expect(stdout).not.toContain('dead-letters');
    expect((await installed('__complete', 'jobs')).stdout).toBe('done\npi\nruns-1\nruns-2\n');
  });

  it('refuses verbs and options that need direct access to the servers, and refers to the whole installation', async () => {
    const { stdout } = await installed('--help');
    for (const { name } of VERBS)
      expect([name, new RegExp(`^  ${name} `, 'm').test(stdout)]).toEqual([
        name,
        API_VERBS.some((verb) => verb.name === name),
      ]);
    const refused = {
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('use the whole installation'),
    };
    expect(await installed('admin', 'verify', '--all')).toEqual(refused);
    expect(await installed('help', 'up')).toEqual(refused);
    expect(await installed('get', '--state-dir', folder)).toEqual(refused);
    const without = await run(join(bins, 'jobledger'), ['get'], {});
    expect(without).toEqual({ ...refused, stderr: expect.stringContaining('jobledger login URL') });
  });
});

describe('the contents of the command-line package', () => {
  it('depend on no other package, and contain no library of the services', () => {
    const manifest = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
    expect(
      readdirSync(join(folder, 'installed', 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['jobledger']);
    const programs = readdirSync(join(tree, 'programs')).map((name) => [
      name,
      readFileSync(join(tree, 'programs', name), 'utf8'),
    ]);
    expect(programs.length).toBeGreaterThan(API_VERBS.length);
    const libraries = /kafkajs|@temporalio|pg-pool|pg-protocol|fastify|client-node|undici|esbuild/;
    expect(programs.filter(([, text = '']) => libraries.test(text)).map(([name]) => name)).toEqual([]);
  });

  it('include the licences of all bundled packages', () => {
    const text = readFileSync(join(tree, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of ['commander', 'yaml', 'zod']) expect(text).toMatch(new RegExp(`^${name}$`, 'm'));
  });
});
