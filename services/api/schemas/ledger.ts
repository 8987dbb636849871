import { z } from 'zod';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { toCloudEvent } from '../../adapters/events/event-codec.ts';
import { recordedInstant } from '../../read-model/views.ts';

/** An event of the ledger, CloudEvents 1.0 (docs/events.md). */
export const eventSchema = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string().describe('Identifies the event; a repeat has the same id'),
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
    at: recordedInstant.describe('When it was sent to the cluster, by the clock of the worker'),
    type: z.enum(['Normal', 'Warning']),
    reason: z.string(),
    message: z.string(),
  })
  .meta({ id: 'KubernetesEvent' });

const commandSchema = z
  .object({
    kind: z.string().describe('CreatePods, WriteStatus and so on'),
    rule: z.string().describe('Rule of the Job semantics behind the command'),
    message: z.string().describe('The reason'),
    pod_count: z.int().nullable().describe('Number of affected pods'),
    last_attempt: z
      .int()
      .describe('The number of the latest attempt of the command that has an outcome; 0 when none has'),
    outcome_at: recordedInstant.nullable(),
    result: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'Command' });

/** A row of `jobledger.decisions` with its rows of `jobledger.commands` (docs/sql.md). */
export const decisionSchema = z
  .object({
    id: z.string(),
    number: z.int().describe('1 for the first decision of the Job'),
    predecessor: z.string().nullable(),
    first_run_id: z.string(),
    now: recordedInstant.describe('The time at which it was made, as used by the core'),
    recorded_at: recordedInstant,
    core: z.string().describe('Version of the core that decided'),
    commands: z.array(commandSchema),
    next_decision_at: recordedInstant.nullable(),
    waiting_rule: z.string().nullable(),
    waiting_message: z.string().nullable(),
    broken: z
      .string()
      .nullable()
      .describe(
        'The invariants that it breaks, separated by commas: its creations were withheld, unless a person approved them (rule J-18.2)',
      ),
    superseded: z.boolean().describe('Made again after a crash: this decision no longer stands'),
  })
  .meta({ id: 'Decision' });

/** A shard of a cluster. */
const shardSchema = z
  .object({
    shard: z.int().describe('From 1; the only one of a cluster that one ingester watches alone'),
    leader: z
      .string()
      .nullable()
      .describe('Holder of the Lease: host, process and start of the ingester; null: none leads'),
    since: recordedInstant.nullable().describe('Since when it leads'),
    version: z.string().nullable().describe('Version of the ingester; null: it does not record it'),
  })
  .meta({ id: 'Shard' });

const overrideBySchema = z.object({ by: z.string(), at: recordedInstant });

/** Whether Jobs can be placed in a cluster: its overrides by people, and its answers. */
export const availabilitySchema = z.object({
  cordoned: overrideBySchema
    .extend({ drain: z.boolean().describe('Placed Jobs that are there move away') })
    .nullable()
    .describe('The person by whom no new Jobs are placed there'),
  lost: overrideBySchema.nullable().describe('The person who recorded that nothing runs there any more'),
  silent_since: recordedInstant
    .nullable()
    .describe('Since when its API server has not answered the ingester; null: it answers'),
});

/** The availability, or null when Kafka does not answer. */
const knownAvailabilitySchema = availabilitySchema.nullable().describe('Null: Kafka does not answer');

/** A row of `jobledger.clusters` (docs/sql.md) with the numbers of its Jobs, and the ingesters that watch it. */
export const clusterSchema = z
  .object({
    name: z.string(),
    uid: z.string().nullable(),
    version: z.string().nullable(),
    apis: z.array(z.string()).nullable().describe('Served versions of the API groups that matter here'),
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
        'When a request of the audit log was last recorded; null: never, as where no audit log is read',
      ),
    active_pod_count: z
      .int()
      .describe('Active pods there: those of members, and not those of Jobs placed elsewhere'),
    placed_count: z.int().describe('Placed Jobs that it has, which drain moves away'),
    availability: knownAvailabilitySchema,
    dead_letter_count: z
      .int()
      .nullable()
      .describe(
        'Records of the ledger about it that could not be used, which jobledger admin dead-letters lists; null: the token is not valid in the whole cluster',
      ),
    first_dead_letter_at: recordedInstant.nullable().describe('When the oldest of them was found'),
    limits: z.array(z.string()).describe('Features of Jobledger that the cluster does not support'),
    shards: z
      .array(shardSchema)
      .nullable()
      .describe(
        'Its shards with the ingesters that lead them; empty: none leads; null: Kafka does not answer',
      ),
    recorded_fields: z
      .array(z.string())
      .nullable()
      .describe(
        'Paths of the fields that its ingesters record besides the reviewed ones (docs/recorded-fields.md); null: none leads, or Kafka does not answer',
      ),
    jobs_received_at: recordedInstant
      .nullable()
      .describe('When the watch of Jobs last received an event or a bookmark that was recorded'),
    pods_received_at: recordedInstant
      .nullable()
      .describe('When the watch of pods last received an event or a bookmark that was recorded'),
  })
  .meta({ id: 'Cluster' });

/** A placed Job that a cluster has. */
export const placedJobSchema = z
  .object({
    home: z.string().describe('The cluster of the placed Job'),
    namespace: z.string(),
    job_name: z.string(),
    job_uid: z.string(),
    member_name: z.string().describe('Name of the Job that runs it there'),
    member_uid: z.string().nullable().describe('Null: it is not known that it was created'),
    stopping: z
      .string()
      .nullable()
      .describe(
        'Why the member is stopped although the Job goes on: drain, spill, lost, returned, unguarded or again; end: the Job has ended; null: it runs',
      ),
    pod_count: z.int().describe('Pods that have not ended'),
    index_count: z.int().describe('Indexes that they run'),
  })
  .meta({ id: 'PlacedJob' });

/** The data that all clusters share. */
export const installationSchema = z
  .object({
    version: z.string().describe('Version of this process, the API'),
    feature_level: z.int().nullable().describe('Null: Kafka has not answered yet'),
    schema: z.string().nullable().describe('The newest migration of the tables'),
    dead_letter_count: z
      .int()
      .nullable()
      .describe('Records of the ledger that could not be used; null: the token is not valid everywhere'),
    first_dead_letter_at: recordedInstant.nullable().describe('When the oldest of them was found'),
  })
  .meta({ id: 'Installation' });

/** A row of `jobledger.gaps` (docs/sql.md). */
export const gapSchema = z
  .object({
    id: z.string(),
    cluster: z.string(),
    namespace: z.string().nullable().describe('The namespace of the watch; null: the whole cluster'),
    resource: z.string(),
    since: recordedInstant,
    until: recordedInstant,
    reason: z.string().nullable(),
    recorded_at: recordedInstant,
  })
  .meta({ id: 'Gap' });
