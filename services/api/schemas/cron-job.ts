import { z } from 'zod';
import { CRON_JOB_RUN_VIEW, CRON_JOB_VIEW } from '../../read-model/views.ts';

/** The deadline as a number. */
export const cronJobSchema = CRON_JOB_VIEW.extend({ starting_deadline_seconds: z.int().nullable() }).meta({
  id: 'CronJob',
});

export const startSchema = CRON_JOB_RUN_VIEW.meta({ id: 'Start' });
