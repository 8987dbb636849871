import { z } from 'zod';
import { PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { CONDITIONS, JOBS } from '../tables/jobs.ts';
import { PODS } from '../tables/pods.ts';
import { omitColumns, pickColumns } from '../tables/table.ts';
import { OF_ANY, recordedInstant, viewSchema } from './view.ts';

const at = recordedInstant.nullable();

/** A row of `jobledger.jobs`, with the clusters where a placed Job runs. */
export const JOB_VIEW = viewSchema(
  omitColumns(
    JOBS.columns,
    ...(['ttl_seconds_after_finished', 'generation', 'resource_version'] as const),
    ...(['conditions', 'completed_at', 'first_pod_at', 'first_ready_at', 'attempt_count'] as const),
    ...(['last_decision', 'last_decision_number', 'first_run_id'] as const),
    ...(['suspend_requested_by', 'suspend_requested_at', 'pod_summary'] as const),
  ),
  {
    ...OF_ANY,
    claimed: 'True when Jobledger controls this Job',
    backoff_limit_per_index:
      'The value of spec.backoffLimitPerIndex, the number of retries of each index; null when absent',
    kubectl_status: 'The status in one word, as kubectl shows it',
    owner_kind: 'The kind of the object that controls the Job, such as CronJob',
    waiting_message: 'The reason why the Job waits, in the words of its last decision',
    status:
      'The status for users. External means that Jobledger does not control the Job; Deleted means that the Job was deleted before its end',
    waiting_for:
      'The thing for which the Job waits, as text; null when the Job waits only for its pods, or has ended',
    waiting_until: 'The end of the wait, such as the next attempt after a back-off',
    reason:
      'The reason why the Job failed or is failing: the causes of failed pods with their numbers, then the reason of its end',
  },
).extend({
  member: z
    .boolean()
    .describe('True when the Job is a member; counts and lists contain its placed Job instead'),
  placed_in: z
    .string()
    .nullable()
    .describe(
      'The cluster where a placed Job runs or ended; for a spread Job, all of its clusters, separated by commas. Null when no cluster has the Job, or the Job is not placed',
    ),
});
export type JobView = z.infer<typeof JOB_VIEW>;

/** `placed_in` of a Job, in SQL over `jobledger.jobs`. */
export const PLACED_IN = `case when managed_by = '${PLACEMENT_MANAGER}' then (
    select coalesce(string_agg(distinct placed_in, ', ' order by placed_in) filter (where p.ended_at is null),
      string_agg(distinct placed_in, ', ' order by placed_in)) from jobledger.placements p
    where p.cluster = jobs.cluster and p.job_uid = jobs.uid and (p.ended_at is null or p.end_reason = 'finished')) end`;

/** A row of `jobledger.conditions`. */
export const CONDITION_VIEW = viewSchema(
  pickColumns(CONDITIONS.columns, 'type', 'status', 'reason', 'message', 'last_transition_time', 'seen_at'),
  { status: 'Null when the condition was removed' },
);
export type ConditionView = z.infer<typeof CONDITION_VIEW>;

/** A row of `jobledger.who`. */
export const WHO_VIEW = z.object({
  action: z
    .string()
    .describe(
      'created, submitted, suspended, resumed, scaled, deleted, requested suspend or requested resume; a refused request ends with ", refused"',
    ),
  by: z.string().describe('The user, or the pseudonym'),
  impersonated_by: z
    .string()
    .nullable()
    .describe('The user that sent the request in the name of the other user'),
  user_agent: z.string().nullable().describe('The program, by the name in its user agent'),
  at: recordedInstant.describe(
    'The instant at which the API server received the request, or a submission was recorded',
  ),
});
export type WhoView = z.infer<typeof WHO_VIEW>;

/** A row of `jobledger.obstacles`. */
export const OBSTACLE_VIEW = z.object({
  kind: z.string().describe('Job or Pod'),
  name: z.string().describe('The name of the Job or pod'),
  reason: z.string().describe('The reason of the Event, such as FailedScheduling'),
  reported_by: z.string().describe('The program that reported it'),
  note: z.string().describe('The newest text; empty when no part of it is recorded'),
  related_namespace: z.string().nullable(),
  related_name: z
    .string()
    .nullable()
    .describe('A further object, such as the pod for which this pod was preempted'),
  texts: z.int().describe('The number of different texts that are recorded with the reason'),
  first_at: recordedInstant,
  last_at: recordedInstant,
  solved_at: at.describe('The instant at which the obstacle was passed; null while it may stand in the way'),
});
export type ObstacleView = z.infer<typeof OBSTACLE_VIEW>;

/** A row of `jobledger.job_chains`. */
export const CHAIN_VIEW = z.object({
  awaited_name: z.string(),
  awaited_uid: z.string().nullable().describe('Null while no Job of that name was seen'),
  condition: z.string().describe('Succeeded, Failed or Finished'),
  met: z.boolean(),
  condition_status: z.string().describe('met, waiting, unmeetable, missing, deleted or unknown'),
  since: at.describe(
    'The instant at which the awaited Job ended, or since which the Job waits for a missing Job',
  ),
  cycle: z.string().nullable().describe('The Jobs through which the Job waits for itself'),
  status: z.string().describe('waiting, resumed or deleted'),
  resumed_at: at,
});
export type ChainView = z.infer<typeof CHAIN_VIEW>;

/** A row of `jobledger.pods`. */
export const POD_VIEW = viewSchema(
  omitColumns(
    PODS.columns,
    ...([
      'cluster',
      'job_uid',
      'namespace',
      'job_name',
      'labels',
      'resource_version',
      'creation_decision',
    ] as const),
    ...([
      'deletion_requested_at',
      'deletion_decision',
      'deletion_rule',
      'deletion_message',
      'count_decision',
    ] as const),
    ...(['deletion_decided_at', 'first_seen_at', 'last_seen_at', 'request_steps', 'bound_at'] as const),
    ...(['last_container_ended_at', 'held_until', 'held_until_at_least'] as const),
  ),
);
export type PodView = z.infer<typeof POD_VIEW>;
