import type { Run } from '../../adapters/postgres/database.ts';
import { emptyRows, visitTables } from '../projections/rows.ts';
import { API_REQUESTS } from '../../read-model/tables/api-requests.ts';
import { CRON_JOBS } from '../../read-model/tables/cron-jobs.ts';
import { CRON_JOB_EVENTS, EVENTS } from '../../read-model/tables/events.ts';
import { JOBS } from '../../read-model/tables/jobs.ts';
import { KUBERNETES_EVENTS } from '../../read-model/tables/kubernetes-events.ts';
import { ownerColumns } from '../statements.ts';

/** A Job or CronJob whose rows are to be removed. */
export interface EndedJob {
  cluster: string;
  uid: string;
}

/** The schema of the live tables, or of the copies of a rebuild. */
export type TablesSchema = 'jobledger' | 'jobledger_rebuild';

/** The tables whose rows may be about a Job that was never observed. */
const OF_NO_OBSERVED_JOB = [API_REQUESTS.name, KUBERNETES_EVENTS.name];

/**
 * Selects the Jobs that ended before the horizon: these Jobs and all their pods are deleted, and have no events after
 * the horizon. The result includes Jobs of which only past pods, decisions, audited requests or Kubernetes Events are known, but no open
 * Job, whatever its age. The result also includes the deleted CronJobs without events after the horizon, but no
 * existing CronJob. The choice depends only on rows, so that live and rebuilt tables agree.
 */
export function findEndedJobs(
  run: Run,
  schema: TablesSchema,
  { horizon, limit }: { horizon: string; limit: number },
): Promise<EndedJob[]> {
  const isQuiet = `greatest(j.first_seen_at, j.last_seen_at, j.last_decided_at, j.deleted_at) < $1
    and not exists (select from ${schema}.pods p where p.cluster = j.cluster and p.job_uid = j.uid
      and (p.deleted_at is null or greatest(p.last_seen_at, p.deleted_at) >= $1))`;
  const isQuietCronJob = 'greatest(c.first_seen_at, c.last_seen_at, c.last_decided_at, c.deleted_at) < $1';
  const isOfNoJob = `not exists (select from ${schema}.jobs j where j.cluster = r.cluster and j.uid = r.job_uid)
    ${OF_NO_OBSERVED_JOB.map(
      (table) => `and not exists (select from ${schema}.${table} later
      where later.cluster = r.cluster and later.job_uid = r.job_uid and later.recorded_at >= $1)`,
    ).join('\n')}`;
  const ofNoJob = OF_NO_OBSERVED_JOB.map(
    (table) => `(select r.cluster, r.job_uid from ${schema}.${table} r
        where r.recorded_at < $1 and ${isOfNoJob} group by r.cluster, r.job_uid limit $2)`,
  );
  return run<EndedJob>({
    text: `(select j.cluster, j.uid from ${schema}.jobs j where j.deleted_at < $1 and ${isQuiet} order by j.deleted_at limit $2)
      union all
      (select j.cluster, j.uid from ${schema}.jobs j
        where j.finished_at is null and j.deleted_at is null and j.resource_version = 0 and ${isQuiet} limit $2)
      union all
      (select c.cluster, c.uid from ${schema}.cron_jobs c
        where (c.deleted_at < $1 or c.resource_version = 0) and ${isQuietCronJob} order by c.deleted_at limit $2)
      union all
      ${ofNoJob.join('\nunion all\n')}
      limit $2`,
    values: [horizon, limit],
  });
}

/** Removes every row of these Jobs and CronJobs, with the ids of their events. */
export async function removeJobs(run: Run, schema: TablesSchema, jobs: readonly EndedJob[]): Promise<void> {
  const values = [jobs.map(({ cluster }) => cluster), jobs.map(({ uid }) => uid)];
  const belongsToJobs = (columns: readonly string[]): string =>
    `(${columns.join(', ')}) in (select * from unnest($1::text[], $2::text[]))`;
  const own = [
    `${EVENTS.name} where ${belongsToJobs(['cluster', 'job_uid'])}`,
    `${CRON_JOB_EVENTS.name} where ${belongsToJobs(['cluster', 'cron_job_uid'])}`,
  ];
  for (const events of own) {
    await run({
      text: `delete from ${schema}.event_ids where id in (select id from ${schema}.${events})`,
      values,
    });
    await run({ text: `delete from ${schema}.${events}`, values });
  }
  // The rows of the Jobs and CronJobs are removed last, because an interrupted removal is only found again while these
  // rows exist.
  const last: readonly string[] = [JOBS.name, CRON_JOBS.name];
  const [removals, lastRemovals]: [string[], string[]] = [[], []];
  await visitTables(emptyRows(), ({ table }) => {
    const owner = ownerColumns(table);
    if (owner.length === 2)
      (last.includes(table.name) ? lastRemovals : removals).push(
        `delete from ${schema}.${table.name} where ${belongsToJobs(owner)}`,
      );
    return Promise.resolve();
  });
  for (const text of [...removals, ...lastRemovals]) await run({ text, values });
}
