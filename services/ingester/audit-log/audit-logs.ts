import { InputError } from '../../adapters/errors.ts';
import { parsedSetting, splitList } from '../../adapters/config.ts';
import type { Metrics } from '../../adapters/metrics/metrics.ts';
import { createBudget } from '../../audit-log/budget.ts';
import { auditedCounter } from '../../audit-log/metrics.ts';
import { createUserNames, type AuditLogConfig } from '../../audit-log/settings.ts';
import type { AuditLog } from './record-audit-log.ts';

/** `JOBLEDGER_AUDIT_LOGS`: `CLUSTER=FILE`, separated by commas. */
export const auditLogsSetting = parsedSetting(parseAuditLogs, '');

/** Parses the setting; returns the file of each cluster. @throws InputError if the setting has no valid list. */
export function parseAuditLogs(text: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const part of splitList(text)) {
    const { cluster, file } = /^(?<cluster>[^=]+)=(?<file>.+)$/.exec(part)?.groups ?? {};
    if (cluster === undefined || file === undefined)
      throw new InputError(`"${part}" is not CLUSTER=FILE, such as east=/var/log/kubernetes/audit.log`);
    if (files.has(cluster)) throw new InputError(`the cluster ${cluster} is given twice`);
    files.set(cluster, file);
  }
  return files;
}

/** The audit logs by cluster. @throws InputError if a log belongs to no cluster of this ingester. */
export function auditLogsByCluster(
  config: AuditLogConfig & { JOBLEDGER_AUDIT_LOGS: ReadonlyMap<string, string> },
  clusters: readonly string[],
  metrics: Metrics,
): ReadonlyMap<string, AuditLog> {
  const files = config.JOBLEDGER_AUDIT_LOGS;
  const other = [...files.keys()].find((cluster) => !clusters.includes(cluster));
  if (other !== undefined)
    throw new InputError(
      `JOBLEDGER_AUDIT_LOGS: "${other}" is not one of the clusters that this ingester records: ${clusters.join(', ')}`,
    );
  const [names, count] = [createUserNames(config), auditedCounter(metrics, [...files.keys()])];
  return new Map(
    [...files].map(([cluster, file]) => [
      cluster,
      { file, ...names, budget: createBudget(), count: (result, by) => count({ cluster, result }, by) },
    ]),
  );
}
