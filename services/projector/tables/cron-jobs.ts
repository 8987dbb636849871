import { DECIDED_COLUMNS, type DecidedColumns } from './decided.ts';
import type { Table } from './table.ts';

/** The columns that come from the object of a CronJob. */
interface CronJobColumns {
  namespace: string;
  name: string;
  schedule: string | null;
  time_zone: string | null;
  suspend: boolean;
  concurrency_policy: string | null;
  starting_deadline_seconds: string | null;
  successful_jobs_history_limit: number | null;
  failed_jobs_history_limit: number | null;
  active: number;
  active_jobs: string[];
  last_schedule_time: string | null;
  last_successful_time: string | null;
  resource_version: string;
}

/** The present state of one CronJob; the migrations describe the columns. */
export interface CronJobRow extends CronJobColumns, DecidedColumns {
  cluster: string;
  uid: string;
  labels: Record<string, string>;
  generation: string | null;
  created_at: string | null;
  deletion_requested_at: string | null;
  deleted_at: string | null;
  deletion_seen: boolean | null;
  first_seen_at: string;
  last_seen_at: string;
}

const OBJECT_COLUMNS = {
  namespace: 'text',
  name: 'text',
  schedule: 'text',
  time_zone: 'text',
  suspend: 'boolean',
  concurrency_policy: 'text',
  starting_deadline_seconds: 'bigint',
  successful_jobs_history_limit: 'integer',
  failed_jobs_history_limit: 'integer',
  active: 'integer',
  active_jobs: 'jsonb',
  last_schedule_time: 'timestamptz',
  last_successful_time: 'timestamptz',
  resource_version: 'numeric',
} as const;

export const CRON_JOBS: Table<CronJobRow> = {
  name: 'cron_jobs',
  key: ['cluster', 'uid'],
  columns: {
    cluster: 'text',
    uid: 'text',
    ...OBJECT_COLUMNS,
    labels: 'jsonb',
    generation: 'bigint',
    created_at: 'timestamptz',
    deletion_requested_at: 'timestamptz',
    deleted_at: 'timestamptz',
    deletion_seen: 'boolean',
    first_seen_at: 'timestamptz',
    last_seen_at: 'timestamptz',
    ...DECIDED_COLUMNS,
  },
};

/** A CronJob at one resourceVersion. */
export interface CronJobVersionRow extends CronJobColumns {
  cluster: string;
  uid: string;
  seen_at: string;
  event_id: string;
  deleted: boolean;
}

export const CRON_JOB_VERSIONS: Table<CronJobVersionRow> = {
  name: 'cron_job_versions',
  key: ['cluster', 'uid', 'resource_version', 'deleted'],
  isAppendOnly: true,
  columns: {
    cluster: 'text',
    uid: 'text',
    ...OBJECT_COLUMNS,
    seen_at: 'timestamptz',
    event_id: 'text',
    deleted: 'boolean',
  },
};

/** One attempt to create the Job of a start. */
export interface CronJobStartRow {
  cluster: string;
  cron_job_uid: string;
  decision: string;
  command: number;
  namespace: string;
  cron_job_name: string;
  scheduled_at: string | null;
  decided_at: string | null;
  job_name: string;
  rule: string;
  words: string;
  replaced: string[];
  result: string | null;
  error: string | null;
  job_uid: string | null;
  answered_at: string | null;
}

export const CRON_JOB_STARTS: Table<CronJobStartRow> = {
  name: 'cron_job_starts',
  key: ['cluster', 'cron_job_uid', 'decision', 'command'],
  columns: {
    cluster: 'text',
    cron_job_uid: 'text',
    decision: 'text',
    command: 'integer',
    namespace: 'text',
    cron_job_name: 'text',
    scheduled_at: 'timestamptz',
    decided_at: 'timestamptz',
    job_name: 'text',
    rule: 'text',
    words: 'text',
    replaced: 'jsonb',
    result: 'text',
    error: 'text',
    job_uid: 'text',
    answered_at: 'timestamptz',
  },
};
