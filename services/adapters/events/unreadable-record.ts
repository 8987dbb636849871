import { JobledgerError } from '../errors.ts';

/** A record that cannot be read. `message` is the reason written to the dead-letter topic. */
export class UnreadableRecordError extends JobledgerError {
  override readonly name = 'UnreadableRecordError';
}

/**
 * A record written by a newer version of this program. The record is valid, but this reader cannot use it and stops before it:
 * skipping it would give wrong results, and moving it to the dead letters would lose it.
 */
export class NewerRecordError extends JobledgerError {
  override readonly name = 'NewerRecordError';
}

/** The error about a newer event, with the partition and offset of the record. */
export function newerRecordErrorAt(
  { partition, offset }: { partition: number; offset: bigint },
  { message }: NewerRecordError,
): NewerRecordError {
  return new NewerRecordError(`partition ${partition}, offset ${offset} of the ledger: ${message}`);
}
