import type { CronJobEvent } from './cron-job/events.ts';
import type { CronFact } from './cron-job/facts.ts';
import type { JobEvent } from './job/events.ts';
import type { Fact } from './job/facts.ts';
import type { PlacementEvent } from './placement/events.ts';
import type { PlacementFact } from './placement/facts.ts';

/** Any event of the ledger: of a Job, of a CronJob (`data.cronJobUid`), of a placed Job (`data.placedJobUid`), or of a cluster. */
export type LedgerEvent = JobEvent | CronJobEvent | PlacementEvent;

/** The kinds of controlled objects. */
export type KindName = 'PlacedJob' | 'Job' | 'CronJob';

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

/** True when an event belongs to the stream of a CronJob. */
export function isOfCronJob(event: { data: object }): event is CronJobEvent {
  return eventKindName(event) === 'CronJob';
}

/** True when an event belongs to the stream of a placed Job. */
export function isOfPlacedJob(event: { data: object }): event is PlacementEvent {
  return eventKindName(event) === 'PlacedJob';
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
  if (isOfPlacedJob(event)) return event.type === 'member.observed' || event.type === 'member.deleted';
  return isOfCronJob(event) && (event.type === 'job.observed' || event.type === 'job.deleted');
}
