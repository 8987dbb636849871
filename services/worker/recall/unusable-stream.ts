import { JobledgerError, errorMessage } from '../../adapters/errors.ts';

/** A stream cannot be folded, because of a bug of this program: it ends the progress of its object, and of no other. */
export class UnusableStreamError extends JobledgerError {
  override readonly name = 'UnusableStreamError';
}

/** Returns errors of Jobledger as they are. Any other error is of the core, and means that the stream is unusable. */
export function asUnusable(id: string, error: unknown): Error {
  if (error instanceof JobledgerError) return error;
  const message = `${id} cannot be recalled (${errorMessage(error)}): report this as a bug of Jobledger, with its records`;
  return new UnusableStreamError(message, { cause: error });
}
