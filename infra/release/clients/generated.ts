import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment } from './python-environment.ts';
import { runProgram } from '../../local/tools/run-program.ts';

/** The pinned generators. The modules of the Go client, which the code of its generator imports. */
export const GENERATORS = {
  python: 'openapi-python-client==0.29.1',
  go: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
} as const;
const GO_RUNTIME = 'github.com/oapi-codegen/runtime v1.9.0';
export const GO_MODULE = 'jobledger.dev/client';

/** A generator, or a program that it calls, is missing. */
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
  // The client is written without ruff, which only formats the code.
  writeFileSync(configuration, JSON.stringify({ package_name_override: 'jobledger_client', post_hooks: [] }));
  const target = ['--output-path', join(folder, 'jobledger_client'), '--meta', 'none', '--overwrite'];
  runProgram(
    join(environment, 'bin', 'openapi-python-client'),
    ['generate', '--path', document, '--config', configuration, '--fail-on-warning', ...target],
    { cwd: folder },
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
  orSkip(() =>
    runProgram('go', ['install', GENERATORS.go], {
      cwd: folder,
      env: { GOBIN: folder, GOFLAGS: '-mod=mod' },
    }),
  );
  runProgram(join(folder, 'oapi-codegen'), ['-config', 'generator.json', document], { cwd: folder });
  orSkip(() => runProgram('go', ['mod', 'tidy'], { cwd: folder }));
}

function orSkip<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw new NoGeneratorError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
