import type { Condition } from '../../../workflows/kubernetes/objects.ts';
import { DECIDED_COLUMNS, type DecidedColumns } from './decided.ts';
import type { Table } from './table.ts';

/** The present state of one Job; the migrations describe the columns. */
export interface JobRow extends DecidedColumns {
  cluster: string;
  uid: string;
  namespace: string;
  name: string;
  claimed: boolean;
  managed_by: string | null;
  status: string;
  parallelism: number | null;
  completions: number | null;
  completion_mode: string | null;
  backoff_limit: number | null;
  backoff_limit_per_index: number | null;
  active_deadline_seconds: string | null;
  ttl_seconds_after_finished: number | null;
  suspend: boolean;
  labels: Record<string, string>;
  owner_kind: string | null;
  owner_name: string | null;
  generation: string | null;
  resource_version: string;
  active: number;
  ready: number;
  terminating: number;
  succeeded: number;
  failed: number;
  completed_indexes: string | null;
  failed_indexes: string | null;
  conditions: Condition[];
  created_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  finished_at: string | null;
  deletion_requested_at: string | null;
  deleted_at: string | null;
  deletion_seen: boolean | null;
  first_seen_at: string;
  last_seen_at: string;
  first_pod_at: string | null;
  first_ready_at: string | null;
  attempts: number;
}

export const JOBS: Table<JobRow> = {
  name: 'jobs',
  key: ['cluster', 'uid'],
  columns: {
    cluster: 'text',
    uid: 'text',
    namespace: 'text',
    name: 'text',
    claimed: 'boolean',
    managed_by: 'text',
    status: 'text',
    parallelism: 'integer',
    completions: 'integer',
    completion_mode: 'text',
    backoff_limit: 'integer',
    backoff_limit_per_index: 'integer',
    active_deadline_seconds: 'bigint',
    ttl_seconds_after_finished: 'integer',
    suspend: 'boolean',
    labels: 'jsonb',
    owner_kind: 'text',
    owner_name: 'text',
    generation: 'bigint',
    resource_version: 'numeric',
    active: 'integer',
    ready: 'integer',
    terminating: 'integer',
    succeeded: 'integer',
    failed: 'integer',
    completed_indexes: 'text',
    failed_indexes: 'text',
    conditions: 'jsonb',
    created_at: 'timestamptz',
    started_at: 'timestamptz',
    completed_at: 'timestamptz',
    finished_at: 'timestamptz',
    deletion_requested_at: 'timestamptz',
    deleted_at: 'timestamptz',
    deletion_seen: 'boolean',
    first_seen_at: 'timestamptz',
    last_seen_at: 'timestamptz',
    first_pod_at: 'timestamptz',
    first_ready_at: 'timestamptz',
    attempts: 'integer',
    ...DECIDED_COLUMNS,
  },
};

/** One change of one condition. */
export interface ConditionRow {
  cluster: string;
  job_uid: string;
  namespace: string;
  job_name: string;
  type: string;
  status: string | null;
  reason: string | null;
  message: string | null;
  last_transition_time: string | null;
  seen_at: string;
  resource_version: string;
  event_id: string;
}

export const CONDITIONS: Table<ConditionRow> = {
  name: 'conditions',
  key: ['cluster', 'job_uid', 'type', 'event_id'],
  isAppendOnly: true,
  columns: {
    cluster: 'text',
    job_uid: 'text',
    namespace: 'text',
    job_name: 'text',
    type: 'text',
    status: 'text',
    reason: 'text',
    message: 'text',
    last_transition_time: 'timestamptz',
    seen_at: 'timestamptz',
    resource_version: 'numeric',
    event_id: 'text',
  },
};
