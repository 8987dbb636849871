import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a virtual environment in `folder` with a package from the index, such as `dagster-k8s==0.29.27`, unless it has it already.
 * Returns its interpreter. @throws with what failed, without Python or its package index.
 */
export function pythonEnvironment(folder: string, requirement: string): string {
  const python = join(folder, 'bin', 'python');
  const installed = join(folder, 'installed');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === requirement) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run('python3', ['-m', 'venv', folder]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement]);
  writeFileSync(installed, requirement);
  return python;
}

function run(file: string, args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  if (error !== undefined) throw new Error(`${file} cannot be started: ${error.message}`);
  if (status !== 0)
    throw new Error(`${[file, ...args].join(' ')} ended with status ${status}: ${stderr.trim()}`);
}
