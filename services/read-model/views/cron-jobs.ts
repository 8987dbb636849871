import { z } from 'zod';
import { CRON_JOBS } from '../tables/cron-jobs.ts';
import { omitColumns } from '../tables/table.ts';
import { OF_ANY, recordedInstant, viewSchema } from './view.ts';

const at = recordedInstant.nullable();

/** A row of `jobledger.cron_jobs`. */
export const CRON_JOB_VIEW = viewSchema(
  omitColumns(
    CRON_JOBS.columns,
    'generation',
    'resource_version',
    'last_decision',
    'last_decision_number',
    'first_run_id',
  ),
  {
    ...OF_ANY,
    schedule: 'Null when the CronJob was never observed',
    waiting_message: 'The thing for which the CronJob waits',
  },
);
export type CronJobView = z.infer<typeof CRON_JOB_VIEW>;

/** A row of `jobledger.cron_job_runs`. */
export const CRON_JOB_RUN_VIEW = z.object({
  scheduled_at: at,
  message: z.string(),
  result: z.string().nullable(),
  error: z.string().nullable(),
  job_name: z.string(),
  status: z.string().nullable().describe('The status of the Job in one word'),
  started_at: at,
  finished_at: at,
  deleted_at: at,
});
export type CronJobRunView = z.infer<typeof CRON_JOB_RUN_VIEW>;
