import { JobledgerError } from '../../adapters/errors.ts';

/** An object of which even what decisions read exceeds a record of the ledger. */
export class TooLargeError extends JobledgerError {
  override readonly name = 'TooLargeError';
}
