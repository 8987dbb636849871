import { CommanderError } from 'commander';
import { InputError, JobledgerError, messageOf } from '../adapters/errors.ts';

/** Prints the error on standard error and returns the exit status: 2 for errors that the user can correct. */
export function exitCodeFor(error: unknown): number {
  // Commander has already written its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const unexpected = !(error instanceof JobledgerError) && error instanceof Error;
  process.stderr.write(`jobledger: ${messageOf(error)}\n${unexpected ? `${error.stack ?? ''}\n` : ''}`);
  return error instanceof InputError ? 2 : 1;
}
