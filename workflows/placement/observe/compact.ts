import type { InEpoch, Unstamped } from '../../ledger/recorded-event.ts';
import { indexGrantIn } from '../../batch/index-grant.ts';
import { plainNumbers } from '../../ledger/plain-numbers.ts';
import { requestIn } from '../../decision/user-requests.ts';
import {
  BACKOFF_SECONDS,
  FAILED_PODS_LIMIT,
  GRANT,
  INDEXES,
  PLACEMENT_FINALIZER,
  START_AND_FINISH_EVENTS,
} from '../../kubernetes/names.ts';
import type { Job } from '../../kubernetes/objects.ts';
import type { PlacementOutcomeRecorded, PlacementDecided, PlacementEvent } from '../events.ts';
import type { FollowedAnnotations, MemberFacts, PlacedJobFacts, PlacementFact } from '../facts.ts';
import { memberSpec } from '../definitions/member-spec.ts';
import { parsePreferences } from './preferences.ts';

/** A ledger record in the form that the core folds: a fact, a decision or an outcome. */
export type CompactedPlacement =
  | PlacementFact
  | Unstamped<PlacementDecided>
  | Unstamped<PlacementOutcomeRecorded>;

/**
 * Converts a ledger record into a fact, a decision or an outcome that is folded and signalled; returns null for
 * records that do not change the state.
 */
export function compact(event: PlacementEvent): CompactedPlacement | null {
  switch (event.type) {
    case 'job.observed':
      return {
        ...factOrigin(event),
        ...copyEpoch(event.data),
        type: event.type,
        job: placedJobFacts(event.data.cluster, event.data.object),
      };
    case 'job.deleted':
      return {
        ...factOrigin(event),
        ...copyEpoch(event.data),
        type: event.type,
        resourceVersion: event.data.resourceVersion,
      };
    case 'member.observed':
      return {
        ...factOrigin(event),
        type: event.type,
        member: event.data.member,
        ...(event.data.mark !== undefined && { mark: event.data.mark }),
      };
    case 'member.deleted': {
      const { cluster, uid, name, resourceVersion, epoch } = event.data.member;
      return {
        ...factOrigin(event),
        type: event.type,
        cluster,
        uid,
        name,
        resourceVersion,
        ...(epoch !== undefined && { epoch }),
      };
    }
    case 'request.received':
      return { ...factOrigin(event), type: event.type, ...requestIn(event.data) };
    case 'placement.decided':
    case 'outcome.recorded':
      return event;
    case 'placement.folded':
    case 'placement.snapshotted':
      return null;
  }
}

/** The id and the digest of the event that a fact comes from. */
function factOrigin({ id, digest }: PlacementEvent): Pick<PlacementFact, 'id' | 'digest'> {
  return { id, digest };
}

/** The field `epoch` of an event for its fact; empty before the first restore. */
function copyEpoch({ epoch }: InEpoch): InEpoch {
  return epoch === undefined ? {} : { epoch };
}

/** Reads the object of a placed Job; `cluster` is its home. */
export function placedJobFacts(cluster: string, { metadata, spec, status }: Job): PlacedJobFacts {
  const { template, selector: _selector, ...rest } = spec;
  const podDeadlineSeconds = plainNumbers(template?.spec.activeDeadlineSeconds);
  const podGraceSeconds = plainNumbers(template?.spec.terminationGracePeriodSeconds);
  const indivisible = indivisibleBecause(spec);
  return {
    cluster,
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: plainNumbers(metadata.generation ?? 1),
    deleting: metadata.deletionTimestamp !== undefined,
    held: metadata.finalizers?.includes(PLACEMENT_FINALIZER) === true,
    spec: plainNumbers(rest),
    ...(podDeadlineSeconds !== undefined && { podDeadlineSeconds }),
    ...(podGraceSeconds !== undefined && { podGraceSeconds }),
    ...(indivisible !== null && { indivisible }),
    status: plainNumbers(status ?? {}),
    preferences: parsePreferences(metadata.annotations),
    ...followedAnnotationsIn(metadata.annotations),
  };
}

/** The annotations of an ordinary Job (J-12.8) that a member has from its home. */
const FOLLOWED = [BACKOFF_SECONDS, FAILED_PODS_LIMIT, START_AND_FINISH_EVENTS];
/** The number of characters of a value that are kept; valid values are shorter. */
const LONGEST_VALUE = 40;

/** The annotations that the members of a placed Job follow, with long values cut. */
function followedAnnotationsIn(all: Readonly<Record<string, string>> = {}): {
  annotations?: FollowedAnnotations;
} {
  const found = FOLLOWED.flatMap((name) => {
    const value = all[name];
    return value === undefined ? [] : [[name, value.slice(0, LONGEST_VALUE)] as const];
  });
  return found.length === 0 ? {} : { annotations: Object.fromEntries(found) };
}

/** The reason why the pods of a Job are bound to one cluster, as text; null when they are not bound (J-17.1). */
function indivisibleBecause({
  completionMode,
  manualSelector,
  template,
  scheduling,
}: Job['spec']): string | null {
  if (manualSelector === true) return 'it has manualSelector';
  if (completionMode !== 'Indexed') return 'it is not Indexed';
  const { subdomain, affinity, schedulingGroup } = template?.spec ?? {};
  if (subdomain !== undefined && subdomain !== '') return 'its pods find each other by their subdomain';
  if (affinity?.podAffinity !== undefined || affinity?.podAntiAffinity !== undefined)
    return 'its pods have an affinity to other pods';
  if (schedulingGroup !== undefined || scheduling !== undefined) return 'its pods are scheduled as a group';
  return null;
}

/** The number of characters of a mark that are recorded; ids of decisions are shorter. */
const LONGEST_MARK = 400;

/** The mark of a grant in the annotation of a Job. */
export function markOf({ metadata: { annotations } }: Pick<Job, 'metadata'>): { mark?: string } {
  const mark = annotations?.[GRANT];
  return mark === undefined || mark.length > LONGEST_MARK ? {} : { mark };
}

/** The facts about a member that the home records. `epoch` is the epoch of the versions of the member's cluster. */
export function memberFacts(cluster: string, { metadata, spec, status }: Job, epoch = 0): MemberFacts {
  const grant = indexGrantIn(metadata.annotations?.[INDEXES] ?? '');
  return {
    cluster,
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace,
    resourceVersion: metadata.resourceVersion,
    generation: plainNumbers(metadata.generation ?? 1),
    ...(epoch > 0 && { epoch }),
    ...(metadata.deletionTimestamp !== undefined && {
      deleting: true as const,
    }),
    ...(grant !== null && { grant }),
    ...followedAnnotationsIn(metadata.annotations),
    spec: memberSpec(plainNumbers(spec)),
    status: plainNumbers(status ?? {}),
  };
}
