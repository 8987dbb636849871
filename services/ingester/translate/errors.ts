import { JobledgerError } from '../../adapters/errors.ts';

/** Thrown when an object is too large for a record of the ledger even after it is reduced to the fields that decisions read. */
export class TooLargeError extends JobledgerError {
  override readonly name = 'TooLargeError';
}

/** Thrown for an object that this program cannot translate and that the watch must read again. */
export class UntranslatableError extends JobledgerError {
  override readonly name = 'UntranslatableError';
}

/** The log message for an object that is too large or cannot be translated. */
export const NOT_RECORDED = 'an object is not recorded, and nothing is decided about it';
