import { JobledgerError } from '../../adapters/errors.ts';

/** Thrown when an object is too large for a record of the ledger even after it is reduced to the fields that decisions read. */
export class TooLargeError extends JobledgerError {
  override readonly name = 'TooLargeError';
}
