import { z } from 'zod';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { toCloudEvent } from '../../adapters/events/event-codec.ts';
import { recordedInstant } from '../../read-model/views/view.ts';

/** An event of the ledger, CloudEvents 1.0 (docs/events.md). */
export const eventSchema = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string().describe('The id of the event; a repeated event has the same id'),
    source: z.string(),
    type: z.string(),
    subject: z.string(),
    time: recordedInstant,
    datacontenttype: z.literal('application/json'),
    digest: z.string(),
    data: z.looseObject({ cluster: z.string() }),
  })
  .meta({ id: 'Event' });

/** The event for display. The content was validated when it was read from the ledger. */
export function shownEvent(event: LedgerEvent): z.infer<typeof eventSchema> {
  return toCloudEvent(event) as z.infer<typeof eventSchema>;
}

/** A Kubernetes Event on a Job. */
export const kubernetesEventSchema = z
  .object({
    at: recordedInstant.describe(
      'The instant when the Event was sent to the cluster, by the clock of the worker',
    ),
    type: z.enum(['Normal', 'Warning']),
    reason: z.string(),
    message: z.string(),
  })
  .meta({ id: 'KubernetesEvent' });

const commandSchema = z
  .object({
    kind: z.string().describe('The kind of the command, such as CreatePods or WriteStatus'),
    rule: z.string().describe('The rule of the Job semantics that requires the command'),
    message: z.string().describe('The reason'),
    pod_count: z.int().nullable().describe('The number of affected pods'),
    last_attempt: z
      .int()
      .describe(
        'The number of the latest attempt of the command that has an outcome; 0 when no attempt has an outcome',
      ),
    outcome_at: recordedInstant.nullable(),
    result: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'Command' });

/** A row of `jobledger.decisions` with its rows of `jobledger.commands` (docs/sql.md). */
export const decisionSchema = z
  .object({
    id: z.string(),
    number: z.int().describe('The number of the decision; 1 is the first decision of the Job'),
    predecessor: z.string().nullable(),
    first_run_id: z.string(),
    now: recordedInstant.describe('The time that the core used for the decision'),
    recorded_at: recordedInstant,
    core: z.string().describe('The version of the core that made the decision'),
    commands: z.array(commandSchema),
    next_decision_at: recordedInstant.nullable(),
    waiting_rule: z.string().nullable(),
    waiting_message: z.string().nullable(),
    broken: z
      .string()
      .nullable()
      .describe(
        'The invariants that the decision breaks, separated by commas. Its creations were withheld, unless a person approved them (rule J-18.2)',
      ),
    superseded: z.boolean().describe('True when another decision replaced this decision after a crash'),
  })
  .meta({ id: 'Decision' });

/** A shard of a cluster. */
const shardSchema = z
  .object({
    shard: z.int().describe('The number of the shard, from 1; a cluster without shards has only the shard 1'),
    leader: z
      .string()
      .nullable()
      .describe(
        'The holder of the Lease: host, process and start of the ingester; null when no ingester leads',
      ),
    since: recordedInstant.nullable().describe('The instant since which the ingester leads'),
    version: z
      .string()
      .nullable()
      .describe('The version of the ingester; null when the ingester does not record it'),
  })
  .meta({ id: 'Shard' });

const overrideBySchema = z.object({ by: z.string(), at: recordedInstant });

/** The availability of a cluster for placed Jobs: its overrides by people, and its last silence. */
export const availabilitySchema = z.object({
  cordoned: overrideBySchema
    .extend({
      drain: z.boolean().describe('True when the placed Jobs of the cluster move to other clusters'),
    })
    .nullable()
    .describe('The person who excluded the cluster from new placements'),
  lost: overrideBySchema
    .nullable()
    .describe('The person who recorded that nothing runs in the cluster any more'),
  silent_since: recordedInstant
    .nullable()
    .describe(
      'The instant since which the API server of the cluster has not answered the ingester; null while it answers',
    ),
});

/** The availability, or null when Kafka does not answer. */
const knownAvailabilitySchema = availabilitySchema.nullable().describe('Null when Kafka does not answer');

/** A row of `jobledger.clusters` (docs/sql.md) with the numbers of its Jobs, and the ingesters that watch it. */
export const clusterSchema = z
  .object({
    name: z.string(),
    uid: z.string().nullable(),
    version: z.string().nullable(),
    apis: z
      .array(z.string())
      .nullable()
      .describe('The served versions of the API groups on which features of Jobledger depend'),
    not_recorded: z
      .array(z.string())
      .describe(
        'The resources, such as cronjobs, that are not recorded, because the ingester may not read them',
      ),
    first_connected_at: recordedInstant.nullable(),
    last_connected_at: recordedInstant.nullable(),
    job_count: z.int(),
    unfinished_count: z.int(),
    gap_count: z.int(),
    last_gap_since: recordedInstant.nullable(),
    last_gap_until: recordedInstant.nullable(),
    last_api_request_at: recordedInstant
      .nullable()
      .describe(
        'The instant when a request of the audit log was last recorded; null when none was ever recorded, for example without an audit log',
      ),
    active_pod_count: z
      .int()
      .describe(
        'The active pods in the cluster, including the pods of members, and excluding the pods of Jobs that are placed in other clusters',
      ),
    placed_count: z.int().describe('The placed Jobs of the cluster, which drain moves to other clusters'),
    availability: knownAvailabilitySchema,
    dead_letter_count: z
      .int()
      .nullable()
      .describe(
        'The number of unusable records of the ledger about the cluster, which jobledger admin dead-letters lists; null when the token is not valid in the whole cluster',
      ),
    first_dead_letter_at: recordedInstant
      .nullable()
      .describe('The instant when the oldest unusable record was found'),
    limits: z.array(z.string()).describe('The features of Jobledger that the cluster does not support'),
    shards: z
      .array(shardSchema)
      .nullable()
      .describe(
        'The shards of the cluster with their leading ingesters; empty when no ingester leads; null when Kafka does not answer',
      ),
    recorded_fields: z
      .array(z.string())
      .nullable()
      .describe(
        'The paths of the fields that the ingesters of the cluster record in addition to the reviewed fields (docs/recorded-fields.md); null when no ingester leads, or Kafka does not answer',
      ),
    jobs_received_at: recordedInstant
      .nullable()
      .describe('The instant when the watch of Jobs last received an event or a bookmark that was recorded'),
    pods_received_at: recordedInstant
      .nullable()
      .describe('The instant when the watch of pods last received an event or a bookmark that was recorded'),
  })
  .meta({ id: 'Cluster' });

/** A placed Job that a cluster has. */
export const placedJobSchema = z
  .object({
    home: z.string().describe('The cluster of the placed Job'),
    namespace: z.string(),
    job_name: z.string(),
    job_uid: z.string(),
    member_name: z.string().describe('The name of the Job that runs the placed Job in this cluster'),
    member_uid: z.string().nullable().describe('Null when it is not known whether the member was created'),
    stopping: z
      .string()
      .nullable()
      .describe(
        'The reason why the member is stopped although the Job continues: drain, spill, lost, returned, unguarded or again; end when the Job has ended; null while the member runs',
      ),
    pod_count: z.int().describe('The number of pods that have not ended'),
    index_count: z.int().describe('The number of indexes that these pods run'),
  })
  .meta({ id: 'PlacedJob' });

/** The data that all clusters share. */
export const installationSchema = z
  .object({
    version: z.string().describe('The version of this process, the API'),
    feature_level: z.int().nullable().describe('The feature level; null while Kafka has not answered'),
    schema: z.string().nullable().describe('The newest migration of the tables'),
    dead_letter_count: z
      .int()
      .nullable()
      .describe(
        'The number of unusable records of the ledger; null when the token is not valid in every place',
      ),
    first_dead_letter_at: recordedInstant
      .nullable()
      .describe('The instant when the oldest unusable record was found'),
  })
  .meta({ id: 'Installation' });

/** A row of `jobledger.gaps` (docs/sql.md). */
export const gapSchema = z
  .object({
    id: z.string(),
    cluster: z.string(),
    namespace: z
      .string()
      .nullable()
      .describe('The namespace of the watch; null for a watch of the whole cluster'),
    resource: z.string(),
    since: recordedInstant,
    until: recordedInstant,
    reason: z.string().nullable(),
    recorded_at: recordedInstant,
  })
  .meta({ id: 'Gap' });
