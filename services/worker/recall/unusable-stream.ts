import { JobledgerError, errorMessage } from '../../adapters/errors.ts';

/**
 * Thrown when a stream cannot be folded because of a bug of this program. Only the object of this stream makes no
 * further progress.
 */
export class UnusableStreamError extends JobledgerError {
  override readonly name = 'UnusableStreamError';
}

/**
 * Returns errors of Jobledger unchanged. Any other error comes from the core, and means that the stream is unusable.
 */
export function toUnusableError(id: string, error: unknown): Error {
  if (error instanceof JobledgerError) return error;
  const message = `${id} cannot be recalled (${errorMessage(error)}): report this as a bug of Jobledger, with the records of the object`;
  return new UnusableStreamError(message, { cause: error });
}
