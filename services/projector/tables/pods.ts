import type { Table } from './table.ts';

/** One pod; the migrations describe the columns. */
export interface PodRow {
  cluster: string;
  job_uid: string;
  uid: string;
  namespace: string | null;
  job_name: string | null;
  name: string;
  completion_index: number | null;
  phase: string | null;
  exit_code: number | null;
  reason: string | null;
  message: string | null;
  node: string | null;
  restarts: number;
  labels: Record<string, string>;
  resource_version: string;
  created_at: string | null;
  started_at: string | null;
  first_ready_at: string | null;
  finished_at: string | null;
  deletion_requested_at: string | null;
  deleted_at: string | null;
  created_by: string | null;
  created_rule: string | null;
  why_created: string | null;
  deleted_by: string | null;
  deletion_rule: string | null;
  deletion_words: string | null;
  deletion_decided_at: string | null;
  why_ended: string | null;
  counted_as: string | null;
  counted_by: string | null;
  first_seen_at: string;
  last_seen_at: string;
}

export const PODS: Table<PodRow> = {
  name: 'pods',
  key: ['cluster', 'job_uid', 'uid'],
  columns: {
    cluster: 'text',
    job_uid: 'text',
    uid: 'text',
    namespace: 'text',
    job_name: 'text',
    name: 'text',
    completion_index: 'integer',
    phase: 'text',
    exit_code: 'integer',
    reason: 'text',
    message: 'text',
    node: 'text',
    restarts: 'integer',
    labels: 'jsonb',
    resource_version: 'numeric',
    created_at: 'timestamptz',
    started_at: 'timestamptz',
    first_ready_at: 'timestamptz',
    finished_at: 'timestamptz',
    deletion_requested_at: 'timestamptz',
    deleted_at: 'timestamptz',
    created_by: 'text',
    created_rule: 'text',
    why_created: 'text',
    deleted_by: 'text',
    deletion_rule: 'text',
    deletion_words: 'text',
    deletion_decided_at: 'timestamptz',
    why_ended: 'text',
    counted_as: 'text',
    counted_by: 'text',
    first_seen_at: 'timestamptz',
    last_seen_at: 'timestamptz',
  },
};

/** One pod creation that a decision requested. */
export interface CreationRow {
  cluster: string;
  job_uid: string;
  name: string;
  ordinal: number;
  completion_index: number | null;
  decision: string;
  rule: string;
  words: string;
  decided_at: string;
  result: string | null;
  pod_uid: string | null;
  error: string | null;
  answered_at: string | null;
}

export const CREATIONS: Table<CreationRow> = {
  name: 'creations',
  key: ['cluster', 'job_uid', 'name'],
  columns: {
    cluster: 'text',
    job_uid: 'text',
    name: 'text',
    ordinal: 'integer',
    completion_index: 'integer',
    decision: 'text',
    rule: 'text',
    words: 'text',
    decided_at: 'timestamptz',
    result: 'text',
    pod_uid: 'text',
    error: 'text',
    answered_at: 'timestamptz',
  },
};
