import type { ReceiveAuditRecords } from '../../services/api/audit/receive-audit-records.ts';

/** Records nothing. */
export const NO_AUDIT_RECORDS: ReceiveAuditRecords = () =>
  Promise.resolve({ recorded: 0, ignored: 0, unknown: 0, unreadable: 0, limited: 0 });
