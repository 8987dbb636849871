import { spawnSync } from 'node:child_process';
import { JobledgerError, errorMessage } from '../../../services/adapters/errors.ts';

export interface RunOptions {
  cwd?: string;
  /** Variables that are added to the variables of this process. */
  env?: Record<string, string>;
  /** True when the program writes to the output of this process. Default: its output is kept for the error. */
  isShown?: boolean;
}

/** Runs a program to its end. @throws JobledgerError if it cannot be started or fails, with its error output. */
export function runProgram(
  file: string,
  args: readonly string[],
  { cwd, env, isShown = false }: RunOptions = {},
): void {
  const { error, status, stderr } = spawnSync(file, args, {
    ...(cwd !== undefined && { cwd }),
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: isShown ? 'inherit' : 'pipe',
  });
  if (error !== undefined) throw new JobledgerError(`${file} cannot be started: ${errorMessage(error)}`);
  if (status === 0) return;
  const wrote = isShown ? '' : `: ${stderr.trim()}`;
  throw new JobledgerError(`${[file, ...args].join(' ')} ended with status ${status}${wrote}`);
}
