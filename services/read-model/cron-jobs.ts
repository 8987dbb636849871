import { InputError } from '../adapters/errors.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { sql, type Statement } from '../adapters/postgres/statement.ts';
import { named, requireOnePlace, UnknownJobError, type WantedJob } from './find-job.ts';
import { listed, type JobFilter } from './jobs.ts';
import { columnsIn, CRON_JOB_RUN_VIEW, CRON_JOB_VIEW, type CronJobView } from './views.ts';

const COLUMNS = columnsIn(CRON_JOB_VIEW);

/** Lists CronJobs by name. Fetches one row beyond the limit, so that the caller sees whether there are more. */
export function listCronJobs(filter: JobFilter): Statement {
  return listed('cron_jobs', COLUMNS, 'cluster, namespace, name, first_seen_at', filter);
}

/** Finds the CronJob by name, the newest of that name. @throws UnknownJobError, AmbiguousJobError. */
export async function findCronJob(run: Run, wanted: WantedJob): Promise<CronJobView> {
  const found = await run<CronJobView>(named('cron_jobs', COLUMNS, wanted));
  const [newest] = found;
  if (newest === undefined)
    throw new UnknownJobError(`the tables have no CronJob named "${wanted.name}"`, [], 'CronJob');
  requireOnePlace(wanted.name, 'CronJob', found);
  return newest;
}

/** Its last starts, newest first, with the fate of their Jobs. */
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

/** @throws InputError while the tables lack events of CronJobs that an older version has skipped. */
export async function requireCronJobEvents(run: Run): Promise<void> {
  const behind = await run(sql`select from jobledger.positions where cron_jobs_offset < next_offset limit 1`);
  if (behind.length > 0)
    throw new InputError(
      'the tables do not have all events of CronJobs yet, because an older version has skipped some: a projector of this version reads them; try again in a minute',
    );
}
