import { InputError } from '../adapters/errors.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { sql, type Statement } from '../adapters/postgres/statement.ts';
import { requireOnePlace, UnknownJobError, type WantedJob } from './find-job.ts';
import { placeValues, visibleIn } from './visible.ts';
import type { JobFilter } from './jobs.ts';
import { columnsIn, CRON_JOB_RUN_VIEW, CRON_JOB_VIEW, type CronJobView } from './views.ts';

const COLUMNS = columnsIn(CRON_JOB_VIEW);

/** Lists CronJobs by name. Fetches one row beyond the limit, so that the caller sees whether there are more. */
export function listCronJobs({ namespace, cluster, deleted, limit, labels = {} }: JobFilter): Statement {
  return {
    text: `select ${COLUMNS} from jobledger.cron_jobs
      where ($1::text is null or namespace = $1) and ($2::text is null or cluster = $2)
        and ($3 or deleted_at is null) and labels @> $5::jsonb
      order by cluster, namespace, name, first_seen_at
      limit $4`,
    values: [namespace ?? null, cluster ?? null, deleted, limit + 1, JSON.stringify(labels)],
  };
}

/** Finds the CronJob by name, the newest of that name. @throws UnknownJobError, AmbiguousJobError. */
export async function findCronJob(run: Run, wanted: WantedJob): Promise<CronJobView> {
  const found = await run<CronJobView>({
    text: `select ${COLUMNS} from jobledger.cron_jobs
      where name = $1 and ($2::text is null or namespace = $2) and ($3::text is null or cluster = $3)
        and ($4::text is null or uid = $4) and ${visibleIn(5, 'cron_jobs')}
      order by coalesce(created_at, first_seen_at) desc, first_seen_at desc`,
    values: [
      wanted.name,
      wanted.namespace ?? null,
      wanted.cluster ?? null,
      wanted.uid ?? null,
      ...placeValues(wanted.places ?? null),
    ],
  });
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
