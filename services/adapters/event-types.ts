import { z } from 'zod';
import type { EventType } from '../../workflows/job/events.ts';

/** One version of an event type. Every version can be read; it is written from its feature level on. */
export interface TypeVersion {
  level: number;
  /** Schema that the data must satisfy. Unknown fields are ignored and kept. */
  data: z.ZodType;
  /** Converts data of the previous version to the shape of this one. */
  upcast?: (data: unknown) => unknown;
}

/** The versions of each type, oldest first. */
export type TypeTable = Readonly<Record<string, readonly TypeVersion[]>>;

const metadata = z.object({
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  namespace: z.string(),
});
const apiObject = z.object({ metadata });
const ofJob = { cluster: z.string(), jobUid: z.string() };

const DATA: Record<EventType, z.ZodType> = {
  'job.observed': z.object({ ...ofJob, object: apiObject }),
  'job.deleted': z.object({ ...ofJob, resourceVersion: z.string(), seen: z.boolean() }),
  'pod.observed': z.object({ ...ofJob, object: apiObject }),
  'pod.deleted': z.object({
    ...ofJob,
    podUid: z.string(),
    resourceVersion: z.string(),
    seen: z.boolean(),
  }),
  'command.received': z.object({ ...ofJob, command: z.enum(['suspend', 'resume']), by: z.string() }),
  'cluster.connected': z.object({ cluster: z.string(), uid: z.string() }),
  'cluster.gap': z.object({
    cluster: z.string(),
    resource: z.string(),
    from: z.string(),
    to: z.string(),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
  }),
  'job.decided': z.object({
    ...ofJob,
    number: z.number(),
    predecessor: z.string().nullable(),
    now: z.number(),
    folded: z.array(z.object({ id: z.string(), digest: z.string() })),
    commands: z.array(z.object({ kind: z.string() })),
  }),
  'job.folded': z.object({
    ...ofJob,
    chain: z.string(),
    number: z.number(),
    part: z.number(),
    folded: z.array(z.unknown()),
  }),
  'command.answered': z.object({
    ...ofJob,
    decision: z.string(),
    command: z.number(),
    answer: z.object({ kind: z.string() }),
  }),
  'job.snapshotted': z.object({
    ...ofJob,
    decision: z.string(),
    number: z.number(),
    stateFormat: z.string(),
    state: z.unknown(),
    until: z.string(),
    unfolded: z.array(z.string()),
  }),
};

/** The feature level from which on snapshots are written. */
export const SNAPSHOTS_FROM_LEVEL = 2;

/** Every type has one version so far. */
export const EVENT_TABLE: TypeTable = Object.fromEntries(
  Object.entries(DATA).map(([type, data]) => [
    type,
    [{ level: type === 'job.snapshotted' ? SNAPSHOTS_FROM_LEVEL : 1, data }],
  ]),
);

export const EVENT_TYPES: readonly string[] = Object.keys(EVENT_TABLE);
