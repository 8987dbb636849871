import type { ApiRequestAudited } from '../../../workflows/job/events.ts';
import { UnavailableError } from '../../adapters/errors.ts';
import type { LazyAppender } from '../../adapters/kafka/lazy-appender.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import type { AuditScope } from '../../audit-log/api-requests.ts';
import { apiRequestsInBudget, createBudget, type Budget } from '../../audit-log/budget.ts';
import type { auditedCounter, CountedResult } from '../../audit-log/metrics.ts';

/** The number of records of a batch with each result. */
export type AuditCounts = Record<CountedResult, number>;

/** Records a batch of the audit log of a cluster. @throws UnavailableError; the API server then sends the batch again. */
export type ReceiveAuditRecords = (cluster: string, records: readonly unknown[]) => Promise<AuditCounts>;

interface Dependencies {
  names: Pick<AuditScope, 'ownUsers' | 'recordedName'>;
  /** The only watched namespaces; an empty list means all namespaces. */
  namespaces: readonly string[];
  append: LazyAppender['append'];
  run: Run;
  count: ReturnType<typeof auditedCounter>;
}

/** Receives the batches of audit webhooks of API servers. */
export function createAuditRecordReceiver(dependencies: Dependencies): ReceiveAuditRecords {
  const { names, namespaces, append, run, count } = dependencies;
  const budgets = new Map<string, Budget>();
  const record = async (events: readonly ApiRequestAudited[]): Promise<void> => {
    if (events.length > 0) await append(events);
  };
  return async (cluster, records) => {
    const budget = budgets.get(cluster) ?? createBudget();
    budgets.set(cluster, budget);
    const scope = {
      cluster,
      ...names,
      namespaces,
      // The UIDs are looked up once for the whole batch.
      mayExist: () => true,
    };
    const { events, counts } = translateRecords(scope, budget, records);
    const owned = await withoutFalseOwners(run, cluster, events).catch(async (error: unknown) => {
      // In the record of a request for a Job, the API server itself wrote the UID of the Job, so that UID need not be
      // checked in Postgres. Repeated records change nothing, so these records do not wait for an unavailable Postgres.
      await record(events.filter(({ data }) => data.resource === 'jobs'));
      throw error;
    });
    await record(owned);
    for (const [result, by] of Object.entries(counts) as [CountedResult, number][])
      if (by > 0) count({ cluster, result }, by);
    return counts;
  };
}

function translateRecords(
  scope: AuditScope,
  budget: Budget,
  records: readonly unknown[],
): { events: ApiRequestAudited[]; counts: AuditCounts } {
  const counts: AuditCounts = { recorded: 0, ignored: 0, unknown: 0, unreadable: 0, limited: 0 };
  const time = new Date().toISOString();
  const events = records.flatMap((record) => {
    const { result, events: within, limited } = apiRequestsInBudget(budget, scope, record, time);
    counts[result] += 1;
    counts.limited += limited;
    return within;
  });
  return { events, counts };
}

/**
 * Leaves out requests whose Job has a UID that is known to belong to another Job or to a CronJob, because any user
 * can write any owner reference of a pod.
 */
async function withoutFalseOwners(
  run: Run,
  cluster: string,
  events: readonly ApiRequestAudited[],
): Promise<ApiRequestAudited[]> {
  if (events.length === 0) return [];
  const uids = [...new Set(events.map(({ data }) => data.jobUid))];
  const known = await run<{ uid: string; subject: string | null }>({
    text: `select uid, namespace || '/' || name as subject from jobledger.jobs where cluster = $1 and uid = any($2)
      union all select uid, null from jobledger.cron_jobs where cluster = $1 and uid = any($2)`,
    values: [cluster, uids],
  }).catch((cause: unknown) => {
    throw new UnavailableError('the Jobs of requests cannot be looked up in Postgres', { cause });
  });
  const subjects = new Map(known.map(({ uid, subject }) => [uid, subject]));
  return events.filter(({ subject, data }) => {
    const owner = subjects.get(data.jobUid);
    return owner === undefined || owner === subject;
  });
}
