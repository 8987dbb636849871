/** Replaces a value that the ledger must not record. */
export const REDACTED = '[redacted]';
