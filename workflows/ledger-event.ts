import type { CronJobTypes } from './cron-job/types.ts';
import type { JobTypes } from './job/types.ts';
import type { PlacementTypes } from './placement/types.ts';

/**
 * The list of the kinds of controlled objects. The compiler names every table that lacks a kind of this list.
 * `prefix` is the first part of the types of decisions, `uidField` the field of an event that contains the UID of the
 * object, and `resource` its name in paths of the API.
 */
export interface KindTypes {
  PlacedJob: PlacementTypes;
  Job: JobTypes;
  CronJob: CronJobTypes;
}

export type KindName = keyof KindTypes;

/** The types of one aspect of all kinds. */
export type OfAnyKind<Aspect extends keyof KindTypes[KindName]> = KindTypes[KindName][Aspect];

/** The events in the streams of a kind. Events of a cluster are among those of Jobs. */
export type EventOfKind<K extends KindName> = KindTypes[K]['event'];

/** Any event of the ledger. */
export type LedgerEvent = OfAnyKind<'event'>;

/** A fact of an object of any kind. */
export type AnyFact = OfAnyKind<'fact'>;

/**
 * The field of an event with the UID of the object whose stream has the event. A placed Job is also a Job, and its events name it under both kinds: its own field comes first.
 */
export const UID_FIELDS: { readonly [K in KindName]: KindTypes[K]['uidField'] } = {
  PlacedJob: 'placedJobUid',
  Job: 'jobUid',
  CronJob: 'cronJobUid',
};
const FIELDS = Object.entries(UID_FIELDS) as [KindName, string][];

/**
 * The kind of the stream to which an event belongs; undefined for an event of a whole cluster. Any user may name the
 * UID of any object as an owner or as a home, so each event names the kind of that object itself. A stream has the
 * events of one kind about one UID; events of another kind about the same UID do not belong to it.
 */
export function eventKindName({ data }: { data: object }): KindName | undefined {
  for (const [kind, field] of FIELDS) if (field in data) return kind;
  return undefined;
}

/** True when an event belongs to the stream of an object of this kind. */
export function isOfKind<K extends KindName>(kind: K, event: { data: object }): event is EventOfKind<K> {
  return eventKindName(event) === kind;
}

/** Calls the function for the kind of the stream that has the event; an event of a whole cluster goes to `Job`. */
export function byKind<R>(
  event: LedgerEvent,
  functions: { [K in KindName]: (event: EventOfKind<K>) => R },
): R {
  const call = functions[eventKindName(event) ?? 'Job'] as (event: LedgerEvent) => R;
  return call(event);
}

/**
 * The UID of the object whose stream has the event, which the key of its record contains; undefined for an event of a
 * whole cluster. The stream of a placed Job has the UID of the Job, whatever else the event names.
 */
export function streamUid({ data }: { data: object }): string | undefined {
  if ('jobUid' in data) return data.jobUid as string;
  const kind = eventKindName({ data });
  return kind === undefined ? undefined : (data as Record<string, string>)[UID_FIELDS[kind]];
}

/** The events that every Job, including a placed Job, has. */
const OF_EVERY_JOB: ReadonlySet<string> = new Set<LedgerEvent['type']>([
  'job.observed',
  'job.deleted',
  'job.submitted',
  'api-request.audited',
  'kubernetes-event.observed',
  'job.detached',
  'request.received',
]);

/**
 * True when an event is in the history of an object of this kind. Events of the cluster of the object are also in its
 * history.
 */
export function belongsToHistory(kind: KindName, event: { type: string; data: object }): boolean {
  const name = eventKindName(event);
  if (name === undefined || name === kind) return true;
  return kind === 'PlacedJob' && name === 'Job' && OF_EVERY_JOB.has(event.type);
}

/**
 * True when an event is only about another object that names the object of the stream: a Job that names a CronJob as
 * its owner, or a placed Job as its home. A mention does not show that this object exists.
 */
export function isMention(event: LedgerEvent): boolean {
  return byKind(event, {
    PlacedJob: ({ type }) => type === 'member.observed' || type === 'member.deleted',
    Job: () => false,
    CronJob: ({ type }) => type === 'job.observed' || type === 'job.deleted',
  });
}
