import { recordedFields } from '../../services/ingester/redaction/recorded-fields.ts';
import type { Redaction } from '../../services/ingester/redaction/redact.ts';

/** What an ingester leaves out unless it is configured otherwise; tests that are about size change the limit. */
export const REDACTION: Redaction = { fields: recordedFields(), maxBytes: 1_000_000 };
