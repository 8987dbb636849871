import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment } from '../tools/python-environment.ts';

/** The pinned generators. The modules of the Go client are those that its generator's code imports. */
export const GENERATORS = {
  python: 'openapi-python-client==0.29.1',
  go: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
} as const;
const GO_RUNTIME = 'github.com/oapi-codegen/runtime v1.9.0';
export const GO_MODULE = 'jobledger.dev/client';

/** A generator, or what it needs, is missing. */
export class NoGeneratorError extends Error {}

/**
 * Writes the Python package `jobledger_client` to FOLDER/jobledger_client, and its environment with the generator to FOLDER/environment.
 * Returns the interpreter of that environment. @throws NoGeneratorError without Python or its package index.
 */
export function writePythonClient(document: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const environment = join(folder, 'environment');
  const python = orSkip(() => pythonEnvironment(environment, GENERATORS.python));
  const configuration = join(folder, 'generator.json');
  // Without ruff, which only formats the code.
  writeFileSync(configuration, JSON.stringify({ package_name_override: 'jobledger_client', post_hooks: [] }));
  const target = ['--output-path', join(folder, 'jobledger_client'), '--meta', 'none', '--overwrite'];
  run(
    join(environment, 'bin', 'openapi-python-client'),
    ['generate', '--path', document, '--config', configuration, '--fail-on-warning', ...target],
    folder,
  );
  return python;
}

/** Writes the Go module to the folder. @throws NoGeneratorError without Go or its module proxy. */
export function writeGoClient(document: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'generator.json'),
    JSON.stringify({
      package: 'client',
      output: join(folder, 'client.gen.go'),
      generate: { models: true, client: true },
    }),
  );
  writeFileSync(join(folder, 'go.mod'), `module ${GO_MODULE}\n\ngo 1.24\n\nrequire ${GO_RUNTIME}\n`);
  orSkip(() => run('go', ['install', GENERATORS.go], folder, { GOBIN: folder, GOFLAGS: '-mod=mod' }));
  run(join(folder, 'oapi-codegen'), ['-config', 'generator.json', document], folder);
  orSkip(() => run('go', ['mod', 'tidy'], folder));
}

function orSkip<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw new NoGeneratorError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function run(
  file: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): void {
  const { error, status, stderr } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  if (error !== undefined) throw new Error(`${file} cannot be started: ${error.message}`);
  if (status !== 0)
    throw new Error(`${[file, ...args].join(' ')} ended with status ${status}: ${stderr.trim()}`);
}
