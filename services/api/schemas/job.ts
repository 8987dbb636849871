import { z } from 'zod';
import { recordedInstant } from './values.ts';

const at = recordedInstant.nullable();
const count = z.int();

/** A row of `jobledger.jobs` (docs/sql.md). */
export const jobSchema = z
  .object({
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
    active_deadline_seconds: count.nullable(),
    suspend: z.boolean(),
    labels: z.record(z.string(), z.string()),
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
  })
  .meta({ id: 'Job' });

const conditionSchema = z
  .object({
    type: z.string(),
    status: z.string().nullable().describe('Null: the condition was removed'),
    reason: z.string().nullable(),
    message: z.string().nullable(),
    last_transition_time: at,
    seen_at: recordedInstant,
  })
  .meta({ id: 'ConditionChange' });

export const jobWithConditionsSchema = jobSchema
  .extend({ conditions: z.array(conditionSchema).describe('Every change of a condition, in order') })
  .meta({ id: 'JobWithConditions' });

/** A row of `jobledger.job_as_of` (docs/sql.md). */
export const jobAsOfSchema = z
  .object({
    cluster: z.string(),
    uid: z.string(),
    namespace: z.string(),
    name: z.string(),
    status: z.string(),
    suspend: z.boolean(),
    parallelism: count.nullable(),
    completions: count.nullable(),
    active: count,
    ready: count,
    terminating: count,
    succeeded: count,
    failed: count,
    completed_indexes: z.string().nullable(),
    failed_indexes: z.string().nullable(),
    started_at: at,
    completed_at: at,
    conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })),
    resource_version: z.string().describe('resourceVersion of the Job with this status'),
    seen_at: recordedInstant,
    event_id: z.string().describe('The event that shows this status'),
    deleted: z.boolean(),
  })
  .meta({ id: 'JobAsOf' });

/** A row of `jobledger.pods` (docs/sql.md). */
export const podSchema = z
  .object({
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
  })
  .meta({ id: 'Pod' });
