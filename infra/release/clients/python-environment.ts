import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../local/tools/run-program.ts';

/**
 * Makes a virtual environment in `folder` with a package from the index, such as `dagster-k8s==0.29.27`, unless the
 * environment already has the package. Returns the interpreter of the environment. @throws with the failed step,
 * without Python or its package index.
 */
export function pythonEnvironment(folder: string, requirement: string): string {
  const python = join(folder, 'bin', 'python');
  const installed = join(folder, 'installed');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === requirement) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  runProgram('python3', ['-m', 'venv', folder]);
  runProgram(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement]);
  writeFileSync(installed, requirement);
  return python;
}
