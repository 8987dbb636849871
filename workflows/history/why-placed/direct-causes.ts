import type { JobEvent } from '../../job/events.ts';
import type { PlacementEvent, PlacementOutcomeRecorded } from '../../placement/events.ts';
import { auditedIn } from '../why/audited.ts';
import { commandCauseId } from '../why/cause-id.ts';

/**
 * Returns a function that gives the ids of the direct causes of an event in the stream of a placed Job, by the id of the
 * event; undefined for an id that belongs to no event. The cause of an outcome is its command; the cause of the first
 * observation of the Job is its submission; the cause of another observation is the outcome that it shows; the cause of a
 * deletion is the outcome that deleted. An audited request is a further cause of an observation or a deletion of the Job.
 * Any other event, such as a decision, has no direct cause: the list is empty.
 */
export function createDirectCauses(events: readonly JobEvent[]): (id: string) => string[] | undefined {
  const audited = auditedIn(events);
  // The parameter has the type of the events of any stream; the stream of a placed Job also has the events of its placement.
  const all = new Map((events as readonly (JobEvent | PlacementEvent)[]).map((event) => [event.id, event]));
  const submissions = events.filter(({ type }) => type === 'job.submitted').map(({ id }) => id);
  const first = events.find(({ type }) => type === 'job.observed');
  /** The id of the outcome, by the key of its effect. */
  const outcomeByKey = new Map<string, string>();
  for (const event of all.values())
    if (event.type === 'outcome.recorded')
      for (const key of keysOfOutcome((event as PlacementOutcomeRecorded).data))
        outcomeByKey.set(key, event.id);
  /** The causes of an event, without audited requests. */
  const ownCauses = (event: JobEvent | PlacementEvent): string[] => {
    if (event.type === 'outcome.recorded') return [commandCauseId(event.data.decision, event.data.command)];
    if (event.type === 'job.observed') {
      return event.id === first?.id
        ? submissions
        : causesByKey(outcomeByKey, versionKey(event.data.object.metadata));
    }
    if (event.type === 'job.deleted') return causesByKey(outcomeByKey, DELETED);
    // `DeleteMember` records no UID, so the creation of the member is its nearest known cause.
    if (event.type === 'member.deleted') return causesByKey(outcomeByKey, event.data.member.uid);
    if (event.type !== 'member.observed') return [];
    const written = causesByKey(outcomeByKey, versionKey(event.data.member));
    // No outcome wrote this version: a controller of the member's cluster did. The nearest known cause is the creation of the member.
    return written.length > 0 ? written : causesByKey(outcomeByKey, event.data.member.uid);
  };
  return (id) => {
    const event = all.get(id);
    return event === undefined ? undefined : [...audited(event as JobEvent), ...ownCauses(event)];
  };
}

/** The key of the deletion of the placed Job. */
const DELETED = 'deleted';

/**
 * The keys under which the effects of an outcome are found: the UID and the version of a written Job, the UID of a created
 * member, or `DELETED`.
 */
function keysOfOutcome({ outcome }: PlacementOutcomeRecorded['data']): string[] {
  switch (outcome.kind) {
    case 'CreateMember':
      return outcome.result === 'created' ? [outcome.member.uid, versionKey(outcome.member)] : [];
    case 'ChangeMember':
      return outcome.result === 'done' ? [versionKey(outcome.member)] : [];
    case 'AddFinalizer':
    case 'RemoveFinalizer':
    case 'SetSuspend':
      return outcome.result === 'done' ? [versionKey(outcome.job)] : [];
    case 'WriteStatus':
      return outcome.result === 'written' ? [versionKey(outcome.job)] : [];
    case 'DeleteJob':
      return outcome.result === 'done' || outcome.result === 'gone' ? [DELETED] : [];
    case 'RenewGuard':
    case 'ReleaseGuard':
    case 'DeleteMember':
    case 'LookUpMember':
    case 'EndGrant':
    case 'ShareOut':
    case 'EmitEvents':
    case 'skipped':
      return [];
  }
}

/** The key of a version of an object. */
function versionKey({ uid, resourceVersion }: { uid: string; resourceVersion: string }): string {
  return `${uid} ${resourceVersion}`;
}

/** The id of the outcome with this key, as a list of causes; empty without one. */
function causesByKey(outcomeByKey: ReadonlyMap<string, string>, key: string): string[] {
  const id = outcomeByKey.get(key);
  return id === undefined ? [] : [id];
}
