import { z } from 'zod';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { levelOfType } from './feature-levels.ts';

/** One version of an event type. Every version can be read; a version is written at its feature level and every higher level. */
export interface TypeVersion {
  level: number;
  /** The schema that the data must satisfy. Unknown fields are ignored and kept. */
  data: z.ZodType;
  /** Converts data of the previous version to the shape of this version. */
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
const ofPlacedJob = { ...ofJob, placedJobUid: z.string() };
const ofCronJob = { cluster: z.string(), cronJobUid: z.string() };
const ofNode = { cluster: z.string(), nodeUid: z.string(), since: z.iso.datetime() };
const submission = {
  submission: z.string(),
  by: z.string(),
  retryOf: z.string().optional(),
  retryOfName: z.string().optional(),
};

const detachment = {
  detachment: z.string(),
  by: z.string(),
  podCount: z.number(),
  runningPodCount: z.number(),
  uncountedPodCount: z.number(),
};

/** The schema of a type that occurs in streams of Jobs and of CronJobs, which depends on the owner of the stream. */
function dataByOwner(job: z.ZodType, cronJob: z.ZodType): z.ZodType {
  return z.unknown().superRefine((data, context) => {
    const namesCronJob = typeof data === 'object' && data !== null && 'cronJobUid' in data;
    const { error } = (namesCronJob ? cronJob : job).safeParse(data);
    for (const { path, message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...path], message });
  });
}

const deletion = { resourceVersion: z.string(), seen: z.boolean() };
const broken = z.array(z.object({ invariant: z.string(), message: z.string() }));
const approval = { action: z.literal('approve'), by: z.string(), decisionNumber: z.int(), broken };
const decision = {
  number: z.number(),
  predecessor: z.string().nullable(),
  now: z.number(),
  folded: z.array(z.object({ id: z.string(), digest: z.string() })),
  commands: z.array(z.object({ kind: z.string() })),
  broken: broken.optional(),
};
const foldedPart = {
  firstRunId: z.string(),
  number: z.number(),
  part: z.number(),
  folded: z.array(z.unknown()),
};
const outcome = {
  decision: z.string(),
  command: z.number(),
  outcome: z.object({ kind: z.string() }),
};

const snapshot = {
  decision: z.string(),
  number: z.number(),
  stateFormat: z.string(),
  state: z.unknown(),
  until: z.string(),
  unfolded: z.array(z.string()),
};

const member = z.object({
  cluster: z.string(),
  uid: z.string(),
  name: z.string(),
  resourceVersion: z.string(),
});

const DATA: Record<LedgerEvent['type'], z.ZodType> = {
  'job.observed': dataByOwner(
    z.object({ ...ofJob, object: apiObject }),
    z.object({ ...ofCronJob, object: apiObject }),
  ),
  'job.deleted': dataByOwner(
    z.object({ ...ofJob, ...deletion }),
    z.object({ ...ofCronJob, childUid: z.string(), childName: z.string(), ...deletion }),
  ),
  'pod.observed': z.object({ ...ofJob, object: apiObject }),
  'pod.deleted': z.object({
    ...ofJob,
    podUid: z.string(),
    resourceVersion: z.string(),
    seen: z.boolean(),
  }),
  'request.received': dataByOwner(
    z.discriminatedUnion('action', [
      z.object({ ...ofJob, action: z.enum(['suspend', 'resume']), by: z.string() }),
      z.object({ ...ofJob, ...approval }),
    ]),
    z.object({ ...ofCronJob, ...approval }),
  ),
  'submission.received': z.object({ cluster: z.string(), namespace: z.string(), ...submission }),
  'job.submitted': z.object({ ...ofJob, ...submission }),
  'api-request.audited': z.object({
    ...ofJob,
    resource: z.enum(['jobs', 'pods']),
    uid: z.string(),
    name: z.string(),
    verb: z.enum(['create', 'update', 'patch', 'delete', 'deletecollection']),
    by: z.string(),
    impersonatedBy: z.string().optional(),
    userAgent: z.string().optional(),
    resourceVersion: z.string().optional(),
    fields: z.array(z.string()).optional(),
    cascade: z.literal(true).optional(),
    panicked: z.literal(true).optional(),
    receivedAt: z.iso.datetime(),
    auditId: z.string(),
  }),
  'kubernetes-event.observed': z.object({
    ...ofJob,
    regarding: z.object({ kind: z.enum(['Job', 'Pod']), uid: z.string(), name: z.string() }),
    reason: z.string(),
    type: z.enum(['Normal', 'Warning']),
    reportedBy: z.string(),
    related: z
      .object({
        kind: z.string(),
        name: z.string(),
        namespace: z.string().optional(),
        uid: z.string().optional(),
      })
      .optional(),
    note: z.string(),
    count: z.int(),
    firstAt: z.iso.datetime(),
    lastAt: z.iso.datetime(),
    isLast: z.literal(true).optional(),
    eventUid: z.string(),
    resourceVersion: z.string(),
  }),
  'kubernetes-events.dropped': z.object({
    cluster: z.string(),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    dropped: z.array(z.object({ namespace: z.string(), cause: z.string(), count: z.int() })),
    further: z.int().optional(),
    gap: z.object({ reason: z.string(), namespace: z.string().optional() }).optional(),
  }),
  'awaited-job.observed': z.object({
    ...ofJob,
    awaited: z.object({
      name: z.string(),
      resourceVersion: z.string(),
      end: z.object({ type: z.enum(['Complete', 'Failed']), reason: z.string(), at: z.string() }).optional(),
    }),
  }),
  'prices.applied': z.object({
    cluster: z.literal('*'),
    by: z.string(),
    currency: z.string(),
    prices: z.array(
      z.object({
        resource: z.string(),
        cluster: z.string(),
        perHour: z.string().regex(/^\d+(?:\.\d+)?$/),
        validFrom: z.iso.datetime(),
        validUntil: z.iso.datetime().optional(),
      }),
    ),
    correction: z.literal(true).optional(),
  }),
  'node.observed': z.object({
    ...ofNode,
    resourceVersion: z.string(),
    node: z.object({ name: z.string(), capacity: z.record(z.string(), z.string()) }),
  }),
  'node.deleted': z.object({ ...ofNode, name: z.string(), seen: z.boolean() }),
  'cluster.connected': z.object({ cluster: z.string(), uid: z.string() }),
  'cluster.gap': z.object({
    cluster: z.string(),
    resource: z.string(),
    from: z.string(),
    to: z.string(),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
  }),
  'cluster.restored': z.object({
    cluster: z.string(),
    epoch: z.number(),
    from: z.string(),
    to: z.string(),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
  }),
  'cluster.detached': z.object({ cluster: z.string(), ...detachment }),
  'job.detached': z.object({ ...ofJob, ...detachment }),
  'watch.passed': z.object({ ...ofCronJob, resource: z.string(), resourceVersion: z.string() }),
  'job.decided': z.object({ ...ofJob, ...decision }),
  'job.folded': z.object({ ...ofJob, ...foldedPart }),
  'outcome.recorded': dataByOwner(z.object({ ...ofJob, ...outcome }), z.object({ ...ofCronJob, ...outcome })),
  'job.snapshotted': z.object({ ...ofJob, ...snapshot }),
  'member.observed': z.object({
    ...ofPlacedJob,
    member: member.extend({ status: z.object({}) }),
    mark: z.string().optional(),
  }),
  'member.deleted': z.object({ ...ofPlacedJob, member }),
  'placement.decided': z.object({ ...ofPlacedJob, ...decision }),
  'placement.folded': z.object({ ...ofPlacedJob, ...foldedPart }),
  'placement.snapshotted': z.object({ ...ofPlacedJob, ...snapshot }),
  'cronjob.observed': z.object({ ...ofCronJob, object: apiObject }),
  'cronjob.deleted': z.object({ ...ofCronJob, ...deletion }),
  'cronjob.decided': z.object({ ...ofCronJob, ...decision }),
  'cronjob.folded': z.object({ ...ofCronJob, ...foldedPart }),
  'cronjob.snapshotted': z.object({ ...ofCronJob, ...snapshot }),
};

/**
 * The further forms of a type, from the second on, each with the level of its gate and its `upcast`. None so far. The tables keep data as
 * recorded, so SQL that reads into the column `data` (views of the schema, the sink, a few queries: `git grep "data ->"`) must
 * understand every form.
 */
const LATER: Partial<Record<LedgerEvent['type'], readonly TypeVersion[]>> = {};

export const EVENT_TABLE: TypeTable = Object.fromEntries(
  (Object.keys(DATA) as LedgerEvent['type'][]).map((type) => [
    type,
    [{ level: levelOfType(type), data: DATA[type] }, ...(LATER[type] ?? [])],
  ]),
);

export const EVENT_TYPES: readonly string[] = Object.keys(EVENT_TABLE);
