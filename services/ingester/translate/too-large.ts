import { JobledgerError } from '../../adapters/errors.ts';

/** Thrown for an object of which even the fields that decisions read exceed a record of the ledger. */
export class TooLargeError extends JobledgerError {
  override readonly name = 'TooLargeError';
}
