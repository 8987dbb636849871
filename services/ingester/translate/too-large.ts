import { JobledgerError } from '../../adapters/errors.ts';

/** An object whose decision-relevant fields alone exceed a record of the ledger. */
export class TooLargeError extends JobledgerError {
  override readonly name = 'TooLargeError';
}
