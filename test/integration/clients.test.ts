import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NoGeneratorError, writeGoClient, writePythonClient } from '../../infra/release/clients/generated.ts';
import { writeTypescriptClient } from '../../infra/release/clients/typescript-tree.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { install, type Installation } from '../support/installation.ts';

const scratch = mkdtempSync(join(tmpdir(), 'jobledger-clients-'));
const document = join(PACKAGE_DIR, 'build', 'openapi.json');
const triedBy = (file: string): string => join(PACKAGE_DIR, 'test', 'clients', file);

let installation: Installation;

beforeAll(async () => {
  installation = await install({ api: true });
  await installation.startServices();
}, 240_000);

afterAll(async () => {
  await installation?.stop();
  rmSync(scratch, { recursive: true, force: true });
}, 30_000);

function manifest(name: string): object {
  const containers = [{ name: 'main', image: 'none', command: ['sh', '-c', 'exit 3'] }];
  const template = { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { backoffLimit: 0, template } };
}

/** Runs a program that submits the Job on its input, waits for the end of the Job and asks why it failed. */
function tried(name: string, command: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}): unknown {
  const { url, token } = installation.api;
  const [file = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(file, [...args, url, token, name], {
    cwd,
    env: { ...process.env, ...more },
    input: JSON.stringify(manifest(name)),
    encoding: 'utf8',
  });
  if (status !== 0) throw error ?? new Error(stderr);
  return JSON.parse(stdout);
}

/** Expects that the output of the program names the failure. */
function expectWhy(written: unknown): void {
  const why = expect.arrayContaining([
    expect.stringMatching(/BackoffLimitExceeded|exited with 3|back-off limit/),
  ]);
  expect(written).toEqual({ status: 'Failed', why });
}

/** Each function generates the client in one language and returns how to run it. @throws NoGeneratorError */
const CLIENTS: Readonly<Record<string, () => () => unknown>> = {
  typescript() {
    const modules = join(scratch, 'node_modules');
    mkdirSync(modules);
    writeTypescriptClient(PACKAGE_DIR, join(modules, 'jobledger-client'));
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
      symlinkSync(join(PACKAGE_DIR, 'node_modules', name), join(modules, name));
    cpSync(triedBy('try.mjs'), join(scratch, 'try.mjs'));
    return () => tried('typescript', [process.execPath, 'try.mjs'], scratch);
  },
  python() {
    const folder = join(PACKAGE_DIR, 'build', 'clients', 'python');
    const python = writePythonClient(document, folder);
    return () => tried('python', [python, triedBy('try.py')], folder, { PYTHONPATH: folder });
  },
  go() {
    const folder = join(PACKAGE_DIR, 'build', 'clients', 'go');
    writeGoClient(document, folder);
    mkdirSync(join(folder, 'try'));
    cpSync(triedBy('try.go'), join(folder, 'try', 'main.go'));
    return () => tried('go', ['go', 'run', './try'], folder);
  },
};

/** Returns null, and prints the reason, when the generator is not available: the test is then skipped. */
function available(make: () => () => unknown): (() => unknown) | null {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof NoGeneratorError)) throw error;
    process.stderr.write(`skipped: ${error.message}\n`);
    return null;
  }
}

execFileSync(process.execPath, ['test/page/write-api-types.ts'], { cwd: PACKAGE_DIR });

describe('a client that is generated from the OpenAPI document', () => {
  for (const [name, make] of Object.entries(CLIENTS)) {
    const run = available(make);
    const test = run === null ? it.skip : it;
    test(
      `submits a Job, waits for its end and reads why it failed, in the language ${name}`,
      () => expectWhy(run?.()),
      120_000,
    );
  }
});
