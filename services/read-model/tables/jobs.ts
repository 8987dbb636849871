import { z } from 'zod';
import {
  bigint,
  boolean,
  instant,
  integer,
  json,
  labels,
  numeric,
  oneOf,
  orNull,
  table,
  text,
  type RowOf,
} from './table.ts';
import type { Condition } from '../../../workflows/kubernetes/objects.ts';
import { DECIDED_COLUMNS } from './decided.ts';
import type { PodSummary } from './pod-summary.ts';
import { STATE_WORDS } from '../status-words.ts';

/** The present state of one Job; the migrations describe the columns. */
export const JOBS = table({
  name: 'jobs',
  key: ['cluster', 'uid'],
  columns: {
    cluster: text,
    uid: text,
    namespace: text,
    name: text,
    claimed: boolean,
    managed_by: orNull(text),
    status: text,
    parallelism: orNull(integer),
    completions: orNull(integer),
    completion_mode: orNull(text),
    backoff_limit: orNull(integer),
    backoff_limit_per_index: orNull(integer),
    active_deadline_seconds: orNull(bigint),
    ttl_seconds_after_finished: orNull(integer),
    suspend: boolean,
    labels: labels,
    owner_kind: orNull(text),
    owner_name: orNull(text),
    generation: orNull(bigint),
    resource_version: numeric,
    active: integer,
    ready: integer,
    terminating: integer,
    succeeded: integer,
    failed: integer,
    completed_indexes: orNull(text),
    failed_indexes: orNull(text),
    conditions: json(z.custom<Condition[]>()),
    created_at: orNull(instant),
    started_at: orNull(instant),
    completed_at: orNull(instant),
    finished_at: orNull(instant),
    deletion_requested_at: orNull(instant),
    deleted_at: orNull(instant),
    deletion_seen: orNull(boolean),
    first_seen_at: instant,
    last_seen_at: instant,
    first_pod_at: orNull(instant),
    first_ready_at: orNull(instant),
    attempts: integer,
    ...DECIDED_COLUMNS,
    suspend_requested_by: orNull(text),
    suspend_requested_at: orNull(instant),
    pod_summary: json(z.custom<PodSummary>()),
    state: oneOf(STATE_WORDS),
    waits_for: orNull(text),
    waits_until: orNull(instant),
    reason: orNull(text),
  },
});
export type JobRow = RowOf<typeof JOBS>;

/** One change of one condition. */
export const CONDITIONS = table({
  name: 'conditions',
  key: ['cluster', 'job_uid', 'type', 'event_id'],
  isAppendOnly: true,
  columns: {
    cluster: text,
    job_uid: text,
    namespace: text,
    job_name: text,
    type: text,
    status: orNull(text),
    reason: orNull(text),
    message: orNull(text),
    last_transition_time: orNull(instant),
    seen_at: instant,
    resource_version: numeric,
    event_id: text,
  },
});
export type ConditionRow = RowOf<typeof CONDITIONS>;
