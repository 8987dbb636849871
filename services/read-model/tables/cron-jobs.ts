import {
  bigint,
  boolean,
  instant,
  integer,
  labels,
  names,
  numeric,
  nullable,
  shortText,
  defineTable,
  text,
} from './table.ts';
import type { RowOf } from './table.ts';
import { DECIDED_COLUMNS } from './decided.ts';

/** The columns that come from the object of a CronJob. */
const OBJECT_COLUMNS = {
  namespace: shortText,
  name: shortText,
  schedule: nullable(text),
  time_zone: nullable(text),
  suspend: boolean,
  concurrency_policy: nullable(text),
  starting_deadline_seconds: nullable(bigint),
  successful_jobs_history_limit: nullable(integer),
  failed_jobs_history_limit: nullable(integer),
  active: integer,
  active_jobs: names,
  last_schedule_time: nullable(instant),
  last_successful_time: nullable(instant),
  resource_version: numeric,
} as const;

/** The present state of one CronJob; the migrations describe the columns. */
export const CRON_JOBS = defineTable({
  name: 'cron_jobs',
  key: ['cluster', 'uid'],
  columns: {
    cluster: shortText,
    uid: shortText,
    ...OBJECT_COLUMNS,
    labels,
    generation: nullable(bigint),
    created_at: nullable(instant),
    deletion_requested_at: nullable(instant),
    deleted_at: nullable(instant),
    deletion_seen: nullable(boolean),
    first_seen_at: instant,
    last_seen_at: instant,
    ...DECIDED_COLUMNS,
  },
});
export type CronJobRow = RowOf<typeof CRON_JOBS>;

/** A CronJob at one resourceVersion. */
export const CRON_JOB_VERSIONS = defineTable({
  name: 'cron_job_versions',
  key: ['cluster', 'uid', 'resource_version', 'deleted'],
  isAppendOnly: true,
  columns: {
    cluster: shortText,
    uid: shortText,
    ...OBJECT_COLUMNS,
    seen_at: instant,
    event_id: text,
    deleted: boolean,
  },
});
export type CronJobVersionRow = RowOf<typeof CRON_JOB_VERSIONS>;

/** One attempt to create the Job of a start. */
export const CRON_JOB_STARTS = defineTable({
  name: 'cron_job_starts',
  key: ['cluster', 'cron_job_uid', 'decision', 'command'],
  columns: {
    cluster: shortText,
    cron_job_uid: shortText,
    decision: shortText,
    command: integer,
    namespace: shortText,
    cron_job_name: text,
    scheduled_at: nullable(instant),
    decided_at: nullable(instant),
    job_name: text,
    rule: text,
    message: text,
    replaced: names,
    result: nullable(text),
    error: nullable(text),
    job_uid: nullable(text),
    outcome_at: nullable(instant),
  },
});
export type CronJobStartRow = RowOf<typeof CRON_JOB_STARTS>;
