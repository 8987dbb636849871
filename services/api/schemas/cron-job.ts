import { z } from 'zod';
import { CRON_JOB_RUN_VIEW, CRON_JOB_VIEW } from '../../read-model/views/cron-jobs.ts';
import { recordedInstant } from '../../read-model/views/view.ts';

/** A CronJob, with the deadline as a number. */
export const cronJobSchema = CRON_JOB_VIEW.extend({ starting_deadline_seconds: z.int().nullable() }).meta({
  id: 'CronJob',
});

/** The CronJob with its next starts. */
export const cronJobWithStartsSchema = cronJobSchema
  .extend({
    coming_starts: z
      .array(recordedInstant)
      .describe(
        'The next five times of the schedule, in its time zone; empty while the CronJob is suspended, or when the schedule is invalid',
      ),
  })
  .meta({ id: 'CronJobWithStarts' });

/** A time of the schedule at which no Job was created. */
export const skippedStartSchema = z
  .object({
    scheduled_at: recordedInstant,
    rule: z.string().describe('The rule that skipped the start: J-9.34, J-9.36 or J-9.38 (docs/rules.md)'),
    message: z.string().describe('The reason, in the words of the decision'),
  })
  .meta({ id: 'SkippedStart' });

export const startSchema = CRON_JOB_RUN_VIEW.meta({ id: 'Start' });
