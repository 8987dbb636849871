import { execFile, type ExecFileOptions } from 'node:child_process';
import { promisify } from 'node:util';
import { JobledgerError } from '../../../services/adapters/errors.ts';

/** Runs a program to its end. @throws JobledgerError with `failure` and the error output of the program. */
export async function runToEnd(
  failure: string,
  [file, ...args]: readonly [string, ...string[]],
  options: ExecFileOptions,
): Promise<void> {
  try {
    await promisify(execFile)(file, args, options);
  } catch (error) {
    const { stderr, code } = error as { stderr?: string; code?: string | number };
    const wrote = (stderr ?? '').trim();
    // The message of the child's error has the whole command line.
    throw new JobledgerError(`${failure}: ${wrote === '' ? `${file} ended with ${code}` : wrote}`);
  }
}
