import { z } from 'zod';
import {
  START_FIELDS,
  type StartChange,
  type StartField,
} from '../../workflows/history/what-if-starts/types.ts';
import { specChange, type ChangeableSpec } from './spec-change.ts';

const limit = z.int().min(0).max(2_147_483_647);

/** The API server's validation, but for schedules and zones, which the core reads (J-9.2). */
const CRON_JOB_SPEC: ChangeableSpec<StartField> = {
  fields: START_FIELDS,
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
};

/** Parses other values in the spec of a CronJob (`specChange`). @throws InputError for an invalid path or value. */
export function startChange(
  sets: readonly string[],
  files: readonly string[] = [],
  option = '--set',
): StartChange {
  return specChange(CRON_JOB_SPEC, { sets, files, option }) as StartChange;
}
