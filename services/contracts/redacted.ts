/** Takes the place of a value that is not recorded in the ledger. */
export const REDACTED = '[redacted]';
