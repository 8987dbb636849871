import type { JobEvent } from '../../job/events.ts';
import type { PlacementEvent, PlacementOutcomeRecorded } from '../../placement/events.ts';
import { auditedIn } from '../why/audited.ts';
import { commandCauseId } from '../why/cause-id.ts';

/**
 * Returns the ids of the causes of an event of a placed Job. The cause of an outcome is its command; the cause of an
 * observation is the submission, the audited request, or the outcome that the observation shows. The result is
 * undefined for an id that belongs to no event.
 */
export function homeOrigins(events: readonly JobEvent[]): (id: string) => string[] | undefined {
  const audited = auditedIn(events);
  const all = new Map((events as readonly (JobEvent | PlacementEvent)[]).map((event) => [event.id, event]));
  const submissions = events.filter(({ type }) => type === 'job.submitted').map(({ id }) => id);
  const first = events.find(({ type }) => type === 'job.observed');
  const shown = new Map<string, string>();
  for (const event of all.values())
    if (event.type === 'outcome.recorded')
      for (const key of versionsShownBy((event as PlacementOutcomeRecorded).data)) shown.set(key, event.id);
  /** The causes of an event that the stream itself shows. */
  const ownCauses = (event: JobEvent | PlacementEvent): string[] => {
    if (event.type === 'outcome.recorded') return [commandCauseId(event.data.decision, event.data.command)];
    if (event.type === 'job.observed') {
      const { uid, resourceVersion } = event.data.object.metadata;
      return event.id === first?.id ? submissions : knownOrigin(shown, `${uid} ${resourceVersion}`);
    }
    if (event.type === 'job.deleted') return knownOrigin(shown, 'deleted');
    if (event.type === 'member.deleted') return knownOrigin(shown, event.data.member.uid);
    if (event.type !== 'member.observed') return [];
    const { uid, resourceVersion } = event.data.member;
    const written = knownOrigin(shown, `${uid} ${resourceVersion}`);
    return written.length > 0 ? written : knownOrigin(shown, uid);
  };
  return (id) => {
    const event = all.get(id);
    return event === undefined ? undefined : [...audited(event as JobEvent), ...ownCauses(event)];
  };
}

/**
 * The versions of Jobs that an outcome has written, the Job of a created member, and the deletion of the placed Job.
 */
function versionsShownBy({ outcome }: PlacementOutcomeRecorded['data']): string[] {
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
      return outcome.result === 'done' || outcome.result === 'gone' ? ['deleted'] : [];
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

/** The outcome that shows this version, as a list of causes. */
function knownOrigin(shown: ReadonlyMap<string, string>, key: string): string[] {
  const id = shown.get(key);
  return id === undefined ? [] : [id];
}
