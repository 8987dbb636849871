import type { JobRow } from './jobs.ts';
import type { Table } from './table.ts';

/** The status of a Job at one resourceVersion. */
export type JobStatusRow = Pick<
  JobRow,
  | 'cluster'
  | 'uid'
  | 'namespace'
  | 'name'
  | 'status'
  | 'suspend'
  | 'parallelism'
  | 'completions'
  | 'active'
  | 'ready'
  | 'terminating'
  | 'succeeded'
  | 'failed'
  | 'completed_indexes'
  | 'failed_indexes'
  | 'started_at'
  | 'completed_at'
  | 'conditions'
  | 'resource_version'
> & { seen_at: string; event_id: string; deleted: boolean };

export const JOB_STATUSES: Table<JobStatusRow> = {
  name: 'job_statuses',
  key: ['cluster', 'uid', 'resource_version', 'deleted'],
  isAppendOnly: true,
  columns: {
    cluster: 'text',
    uid: 'text',
    namespace: 'text',
    name: 'text',
    status: 'text',
    suspend: 'boolean',
    parallelism: 'integer',
    completions: 'integer',
    active: 'integer',
    ready: 'integer',
    terminating: 'integer',
    succeeded: 'integer',
    failed: 'integer',
    completed_indexes: 'text',
    failed_indexes: 'text',
    started_at: 'timestamptz',
    completed_at: 'timestamptz',
    conditions: 'jsonb',
    resource_version: 'numeric',
    seen_at: 'timestamptz',
    event_id: 'text',
    deleted: 'boolean',
  },
};
