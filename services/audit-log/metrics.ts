import type { Metrics } from '../adapters/metrics/metrics.ts';
import type { AuditResult } from './api-requests.ts';

/** The result of a record; `limited` means that the namespace had too many requests. */
export type CountedResult = AuditResult | 'limited';

const RESULTS: readonly CountedResult[] = ['recorded', 'ignored', 'unknown', 'unreadable', 'limited'];

/** Counts the records of audit logs. */
export function auditedCounter(
  metrics: Metrics,
  clusters: readonly string[],
): (labels: { cluster: string; result: CountedResult }, by: number) => void {
  const count = metrics.counter({
    name: 'jobledger_audit_records_total',
    help: 'Records of the audit log, by their result: recorded, ignored, unknown (without the UID of the object), unreadable, limited (too many requests in one namespace).',
    labels: ['cluster', 'result'],
  });
  for (const cluster of clusters) for (const result of RESULTS) count({ cluster, result }, 0);
  return count;
}
