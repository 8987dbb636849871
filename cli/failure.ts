import { debuglog } from 'node:util';
import { CommanderError } from 'commander';
import { report } from './output.ts';
import { InputError, JobledgerError, errorMessage } from '../services/adapters/errors.ts';

/** A wait has timed out. */
export class TimedOutError extends JobledgerError {
  override readonly name = 'TimedOutError';
}

/** A Job has ended, but not as expected. */
export class EndedOtherwiseError extends JobledgerError {
  override readonly name = 'EndedOtherwiseError';
}

/** Exit statuses (docs/command-line.md). */
const EXIT = { failure: 1, usage: 2, timedOut: 3, endedOtherwise: 4 } as const;

/** Prints the error on standard error and returns the exit status: 2 for errors that the user can correct. */
export function exitCodeFor(error: unknown): number {
  // Commander has already written its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  const isUnexpected = !(error instanceof JobledgerError) && error instanceof Error;
  report(`jobledger: ${isUnexpected ? unexpectedErrorText(error) : errorMessage(error)}`);
  if (error instanceof TimedOutError) return EXIT.timedOut;
  if (error instanceof EndedOtherwiseError) return EXIT.endedOtherwise;
  return error instanceof InputError ? EXIT.usage : EXIT.failure;
}

/** Only NODE_DEBUG shows the stack of an error, because the stack is for developers. */
function unexpectedErrorText(error: Error): string {
  const log = debuglog('jobledger');
  log('%s', error.stack ?? '');
  const place = log.enabled ? '' : '; set NODE_DEBUG=jobledger to see the stack trace';
  return `this is a fault in Jobledger; please report it: ${errorMessage(error)}${place}`;
}
