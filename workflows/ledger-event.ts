import type { CronJobEvent } from './cron-job/events.ts';
import type { CronFact } from './cron-job/facts.ts';
import type { JobEvent } from './job/events.ts';
import type { Fact } from './job/facts.ts';
import type { PlacementEvent } from './placement/events.ts';
import type { PlacementFact } from './placement/facts.ts';

/** Any event of the ledger: of a Job, of a CronJob (`data.cronJobUid`), of a placed Job (`data.placedJobUid`), or of a cluster. */
export type LedgerEvent = JobEvent | CronJobEvent | PlacementEvent;

/** The events in the streams of each kind of controlled object. Events of a cluster are among those of Jobs. */
export interface EventsByKind {
  PlacedJob: PlacementEvent;
  Job: JobEvent;
  CronJob: CronJobEvent;
}

export type KindName = keyof EventsByKind;

/** A fact of an object of any kind. */
export type AnyFact = Fact | CronFact | PlacementFact;

/**
 * The kind of the stream to which an event belongs; undefined for an event of a whole cluster. Any user may name the
 * UID of any object as an owner or as a home, so each event names the kind of that object itself. A stream has the
 * events of one kind about one UID; events of another kind about the same UID do not belong to it. A placed Job is
 * also a Job, and its events name it under both kinds.
 */
export function eventKindName({ data }: { data: object }): KindName | undefined {
  if ('placedJobUid' in data) return 'PlacedJob';
  if ('jobUid' in data) return 'Job';
  return 'cronJobUid' in data ? 'CronJob' : undefined;
}

/** True when an event belongs to the stream of an object of this kind. */
export function isOfKind<K extends KindName>(kind: K, event: { data: object }): event is EventsByKind[K] {
  return eventKindName(event) === kind;
}

/** Calls the function for the kind of the stream that has the event; an event of a whole cluster goes to `Job`. */
export function byKind<R>(
  event: LedgerEvent,
  functions: { [K in KindName]: (event: EventsByKind[K]) => R },
): R {
  const call = functions[eventKindName(event) ?? 'Job'] as (event: LedgerEvent) => R;
  return call(event);
}

/** The UID of the object whose stream has the event; undefined for an event of a whole cluster. */
export function streamUid(event: LedgerEvent): string | undefined {
  return byKind<string | undefined>(event, {
    PlacedJob: ({ data }) => data.placedJobUid,
    Job: ({ data }) => ('jobUid' in data ? data.jobUid : undefined),
    CronJob: ({ data }) => data.cronJobUid,
  });
}

/** The events that every Job, including a placed Job, has. */
const OF_EVERY_JOB: ReadonlySet<string> = new Set<LedgerEvent['type']>([
  'job.observed',
  'job.deleted',
  'job.submitted',
  'api-request.audited',
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
