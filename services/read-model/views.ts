import { z } from 'zod';

// The rows that the command line prints and the API returns, as Postgres gives them (docs/sql.md). The queries select
// the members of these schemas.

/** An instant in a row. */
export const recordedInstant = z.iso.datetime({ offset: true });

const at = recordedInstant.nullable();
const count = z.int();

/** A row of `jobledger.jobs`. */
export const JOB_VIEW = z.object({
  cluster: z.string(),
  uid: z.string(),
  namespace: z.string(),
  name: z.string(),
  claimed: z.boolean().describe('Jobledger drives this Job'),
  managed_by: z.string().nullable(),
  status: z.string().describe('One word, as kubectl shows it'),
  parallelism: count.nullable(),
  completions: count.nullable(),
  completion_mode: z.string().nullable(),
  backoff_limit: count.nullable(),
  active_deadline_seconds: z.string().nullable(),
  suspend: z.boolean(),
  labels: z.record(z.string(), z.string()),
  owner_kind: z.string().nullable().describe('Kind of the object that controls the Job, such as CronJob'),
  owner_name: z.string().nullable(),
  active: count,
  ready: count,
  terminating: count,
  succeeded: count,
  failed: count,
  completed_indexes: z.string().nullable(),
  failed_indexes: z.string().nullable(),
  created_at: at,
  started_at: at,
  finished_at: at,
  deletion_requested_at: at,
  deleted_at: at,
  deletion_seen: z.boolean().nullable().describe('False: the deletion itself was not observed'),
  first_seen_at: recordedInstant,
  last_seen_at: recordedInstant,
  decisions: count,
  commands: count,
  failed_commands: count,
  last_decided_at: at,
  look_again_at: at.describe('When the next decision is due without new events'),
  waiting_rule: z.string().nullable(),
  waiting_words: z.string().nullable().describe('Why the Job is waiting'),
  waiting_since: at,
});
export type JobView = z.infer<typeof JOB_VIEW>;

/** A row of `jobledger.cron_jobs`. */
export const CRON_JOB_VIEW = z.object({
  cluster: z.string(),
  uid: z.string(),
  namespace: z.string(),
  name: z.string(),
  schedule: z.string().nullable().describe('Null: the CronJob was never observed'),
  time_zone: z.string().nullable(),
  suspend: z.boolean(),
  concurrency_policy: z.string().nullable(),
  starting_deadline_seconds: z.string().nullable(),
  successful_jobs_history_limit: count.nullable(),
  failed_jobs_history_limit: count.nullable(),
  active: count,
  active_jobs: z.array(z.string()),
  last_schedule_time: at,
  last_successful_time: at,
  labels: z.record(z.string(), z.string()),
  created_at: at,
  deletion_requested_at: at,
  deleted_at: at,
  deletion_seen: z.boolean().nullable().describe('False: the deletion itself was not observed'),
  first_seen_at: recordedInstant,
  last_seen_at: recordedInstant,
  decisions: count,
  commands: count,
  failed_commands: count,
  last_decided_at: at,
  look_again_at: at.describe('When the next decision is due without new events'),
  waiting_rule: z.string().nullable(),
  waiting_words: z.string().nullable().describe('What the CronJob is waiting for'),
  waiting_since: at,
});
export type CronJobView = z.infer<typeof CRON_JOB_VIEW>;

/** A row of `jobledger.cron_job_runs`. */
export const CRON_JOB_RUN_VIEW = z.object({
  scheduled_at: at,
  words: z.string(),
  result: z.string().nullable(),
  error: z.string().nullable(),
  job_name: z.string(),
  status: z.string().nullable().describe('Of the Job, in one word'),
  started_at: at,
  finished_at: at,
  deleted_at: at,
});
export type CronJobRunView = z.infer<typeof CRON_JOB_RUN_VIEW>;

/** A row of `jobledger.conditions`. */
export const CONDITION_VIEW = z.object({
  type: z.string(),
  status: z.string().nullable().describe('Null: the condition was removed'),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  last_transition_time: at,
  seen_at: recordedInstant,
});
export type ConditionView = z.infer<typeof CONDITION_VIEW>;

/** A row of `jobledger.job_chains`. */
export const CHAIN_VIEW = z.object({
  awaited_name: z.string(),
  awaited_uid: z.string().nullable().describe('Null: no Job of that name was seen yet'),
  condition: z.string().describe('Succeeded, Failed or Finished'),
  met: z.boolean(),
  standing: z.string().describe('met, waiting, unmeetable, missing, deleted or unknown'),
  since: at.describe('When the awaited Job ended; for a missing one, since when it is waited for'),
  cycle: z.string().nullable().describe('The Jobs through which the Job waits for itself'),
  state: z.string().describe('waiting, resumed or deleted'),
  resumed_at: at,
});
export type ChainView = z.infer<typeof CHAIN_VIEW>;

/** A row of `jobledger.pods`. */
export const POD_VIEW = z.object({
  uid: z.string(),
  name: z.string(),
  completion_index: count.nullable(),
  phase: z.string().nullable(),
  exit_code: count.nullable(),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  node: z.string().nullable(),
  restarts: count,
  created_at: at,
  started_at: at,
  first_ready_at: at,
  finished_at: at,
  deleted_at: at,
  created_rule: z.string().nullable(),
  why_created: z.string().nullable(),
  why_ended: z.string().nullable(),
  counted_as: z.string().nullable(),
});
export type PodView = z.infer<typeof POD_VIEW>;

/** The columns of a view, for `select`. */
export function columnsIn(view: z.ZodObject): string {
  return Object.keys(view.shape).join(', ');
}
