import {
  bigint,
  boolean,
  instant,
  integer,
  labels,
  names,
  numeric,
  orNull,
  shortText,
  table,
  text,
} from './table.ts';
import type { RowOf } from './table.ts';
import { DECIDED_COLUMNS } from './decided.ts';

/** The columns that come from the object of a CronJob. */
const OBJECT_COLUMNS = {
  namespace: shortText,
  name: shortText,
  schedule: orNull(text),
  time_zone: orNull(text),
  suspend: boolean,
  concurrency_policy: orNull(text),
  starting_deadline_seconds: orNull(bigint),
  successful_jobs_history_limit: orNull(integer),
  failed_jobs_history_limit: orNull(integer),
  active: integer,
  active_jobs: names,
  last_schedule_time: orNull(instant),
  last_successful_time: orNull(instant),
  resource_version: numeric,
} as const;

/** The present state of one CronJob; the migrations describe the columns. */
export const CRON_JOBS = table({
  name: 'cron_jobs',
  key: ['cluster', 'uid'],
  columns: {
    cluster: shortText,
    uid: shortText,
    ...OBJECT_COLUMNS,
    labels,
    generation: orNull(bigint),
    created_at: orNull(instant),
    deletion_requested_at: orNull(instant),
    deleted_at: orNull(instant),
    deletion_seen: orNull(boolean),
    first_seen_at: instant,
    last_seen_at: instant,
    ...DECIDED_COLUMNS,
  },
});
export type CronJobRow = RowOf<typeof CRON_JOBS>;

/** A CronJob at one resourceVersion. */
export const CRON_JOB_VERSIONS = table({
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
export const CRON_JOB_STARTS = table({
  name: 'cron_job_starts',
  key: ['cluster', 'cron_job_uid', 'decision', 'command'],
  columns: {
    cluster: shortText,
    cron_job_uid: shortText,
    decision: shortText,
    command: integer,
    namespace: shortText,
    cron_job_name: text,
    scheduled_at: orNull(instant),
    decided_at: orNull(instant),
    job_name: text,
    rule: text,
    message: text,
    replaced: names,
    result: orNull(text),
    error: orNull(text),
    job_uid: orNull(text),
    outcome_at: orNull(instant),
  },
});
export type CronJobStartRow = RowOf<typeof CRON_JOB_STARTS>;
