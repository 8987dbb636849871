import { z } from 'zod';
import { STATUSES } from '../../read-model/shown/statuses.ts';
import { recordedInstant } from '../../read-model/views/view.ts';

const jobSchema = z
  .object({
    uid: z.string(),
    name: z.string(),
    status: z.enum(STATUSES),
    reason: z.string().nullable().describe('The reason why the Job failed or is failing'),
    waiting_for: z.string().nullable(),
    started_at: recordedInstant.nullable(),
    finished_at: recordedInstant.nullable(),
    deleted_at: recordedInstant.nullable(),
  })
  .meta({ id: 'ChainJob' });

const linkSchema = z
  .object({
    waiting: z.string().describe('The name of the Job that waits, or waited'),
    waiting_uid: z.string(),
    awaited: z.string().describe('The name of the Job for which that Job waits'),
    awaited_uid: z.string().nullable().describe('Null while no Job of that name was seen'),
    condition: z.string().describe('Succeeded, Failed or Finished'),
    condition_status: z.string().describe('met, waiting, unmeetable, missing, deleted or unknown'),
    since: recordedInstant
      .nullable()
      .describe(
        'The instant when the awaited Job ended; for a missing Job, the instant since which the Job waits for it',
      ),
    status: z.string().describe('waiting, resumed or deleted'),
  })
  .meta({ id: 'ChainLink' });

/** The chain that a Job is in. */
export const chainSchema = z
  .object({
    jobs: z.array(jobSchema).describe('The Jobs that were seen; without links, only this Job'),
    links: z.array(linkSchema),
    complete: z.boolean().describe('False when the chain has more links'),
  })
  .meta({ id: 'Chain' });
