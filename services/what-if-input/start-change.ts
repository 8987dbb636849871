import { z } from 'zod';
import { START_FIELDS, type StartChange } from '../../workflows/history/what-if-starts/types.ts';
import { changeParser } from './spec-change.ts';

const limit = z.int().min(0).max(2_147_483_647);

/** Parses other values in the spec of a CronJob. */
export const startChange = changeParser<StartChange>({
  fields: START_FIELDS,
  // The API server's validation, except for schedules and zones, which the core checks (J-9.2).
  schemas: {
    schedule: z.string().min(1),
    timeZone: z.string().min(1).nullable(),
    startingDeadlineSeconds: z.int().min(0).nullable(),
    concurrencyPolicy: z.enum(['Allow', 'Forbid', 'Replace']),
    suspend: z.boolean(),
    successfulJobsHistoryLimit: limit.nullable(),
    failedJobsHistoryLimit: limit.nullable(),
  },
  others: { jobTemplate: 'no fact shows how other Jobs would have run' },
  example: 'spec.concurrencyPolicy=Forbid',
});
