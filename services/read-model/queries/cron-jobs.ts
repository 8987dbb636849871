import type { Run } from '../../adapters/postgres/database.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import {
  requireOnePlace,
  selectMatching,
  suggestionText,
  UnknownJobError,
  type WantedJob,
} from './find-job.ts';
import type { JobLocation } from '../views/full-name.ts';
import { exactNames, similarNames, type JobFilter } from './jobs.ts';
import { meetsSelector } from './label-selector.ts';
import { columnsIn } from '../views/view.ts';
import { CRON_JOB_RUN_VIEW, CRON_JOB_VIEW, type CronJobView } from '../views/cron-jobs.ts';

const COLUMNS = columnsIn(CRON_JOB_VIEW);

/** Lists CronJobs by name. The statement selects one row beyond the limit, to show whether more rows follow. */
export function listCronJobs({ namespace, cluster, deleted, limit, selector = [] }: JobFilter): Statement {
  return {
    text: `select ${COLUMNS} from jobledger.cron_jobs
      where ($1::text is null or namespace = $1) and ($2::text is null or cluster = $2)
        and ($3 or deleted_at is null) and ${meetsSelector('$5')}
      order by cluster, namespace, name, first_seen_at
      limit $4`,
    values: [namespace ?? null, cluster ?? null, deleted, limit + 1, JSON.stringify(selector)],
  };
}

/** Finds the newest CronJob with a name. @throws UnknownJobError, AmbiguousJobError. */
export async function findCronJob(run: Run, wanted: WantedJob): Promise<CronJobView> {
  const found = await run<CronJobView>(selectMatching('cron_jobs', COLUMNS, wanted));
  const [newest] = found;
  if (newest === undefined) throw await unknownCronJob(run, wanted);
  requireOnePlace(wanted.name, 'CronJob', found);
  return newest;
}

async function unknownCronJob(run: Run, { name, places }: WantedJob): Promise<UnknownJobError> {
  const unknown = `no CronJob named "${name}" is recorded`;
  const cronJobs = await run<JobLocation>(similarNames('cron_jobs', name, places));
  if (cronJobs.length > 0)
    return new UnknownJobError(`${unknown}${suggestionText([], cronJobs)}`, [], 'CronJob');
  const jobs = await run<JobLocation>(exactNames('jobs', name, places));
  const where =
    'CronJobs are recorded where Jobledger replaces their controller (jobledger up --controllers job,cronjob)';
  return new UnknownJobError(`${unknown}: ${where}${suggestionText(jobs, [])}`, [], 'CronJob');
}

/** The last starts of the CronJob, newest first, with the fate of their Jobs. */
export function runsOfCronJob(
  { cluster, uid }: Pick<CronJobView, 'cluster' | 'uid'>,
  limit: number,
): Statement {
  return {
    text: `select ${columnsIn(CRON_JOB_RUN_VIEW)} from jobledger.cron_job_runs
      where cluster = $1 and cron_job_uid = $2 order by scheduled_at desc limit $3`,
    values: [cluster, uid, limit],
  };
}
