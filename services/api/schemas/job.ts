import { z } from 'zod';
import {
  CHAIN_VIEW,
  CONDITION_VIEW,
  JOB_VIEW,
  OBSTACLE_VIEW,
  POD_VIEW,
  WHO_VIEW,
} from '../../read-model/views/jobs.ts';
import { HOME_VIEW, PLACEMENT_VIEW } from '../../read-model/views/placements.ts';
import { recordedInstant } from '../../read-model/views/view.ts';

const at = recordedInstant.nullable();
const count = z.int();

/** A Job, with the deadline as a number. */
export const jobSchema = JOB_VIEW.extend({ active_deadline_seconds: count.nullable() }).meta({ id: 'Job' });

const chainSchema = CHAIN_VIEW.meta({ id: 'AwaitedJob' });

const whoSchema = WHO_VIEW.meta({ id: 'Action' });

const obstacleSchema = OBSTACLE_VIEW.meta({ id: 'Obstacle' });

const conditionSchema = CONDITION_VIEW.meta({ id: 'ConditionChange' });

export const jobWithConditionsSchema = jobSchema
  .extend({
    conditions: z.array(conditionSchema).describe('Every change of a condition, in order'),
    chain: z.array(chainSchema).describe('The Jobs for which the Job waits or waited, and their states'),
    who: z.array(whoSchema).describe('The last 100 recorded actions on the Job with their users, in order'),
    obstacles: z
      .array(obstacleSchema)
      .describe(
        'What other programs, such as the scheduler, reported to stand in the way of the Job or its pods; empty when Kubernetes Events are not recorded',
      ),
    home: HOME_VIEW.nullable().describe('The placed Job that the Job runs; null when it runs none'),
  })
  .meta({ id: 'JobWithConditions' });

export const placementSchema = PLACEMENT_VIEW.meta({ id: 'Placement' });

/** A row of `jobledger.job_as_of` (docs/sql.md). */
export const jobAsOfSchema = z
  .object({
    cluster: z.string(),
    uid: z.string(),
    namespace: z.string(),
    name: z.string(),
    kubectl_status: z.string(),
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
    resource_version: z.string().describe('The resourceVersion of the Job with this status'),
    seen_at: recordedInstant,
    event_id: z.string().describe('The event that shows this status'),
    deleted: z.boolean(),
  })
  .meta({ id: 'JobAsOf' });

export const podSchema = POD_VIEW.meta({ id: 'Pod' });

/** A Job that was created, or that would be created. */
export const createdSchema = z
  .object({
    cluster: z.string(),
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    managed_by: z.string().nullable(),
    created_at: recordedInstant,
    dry_run: z.boolean(),
  })
  .meta({ id: 'CreatedJob' });
