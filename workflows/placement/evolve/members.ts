import { compareVersions } from '../../ledger/resource-version.ts';
import { isAcknowledged, isOpen } from '../definitions/grants.ts';
import { combineCounters } from '../definitions/successes.ts';
import type { Counters } from '../commands.ts';
import type { SeenMember } from '../definitions/seen.ts';
import type { MemberFacts, PlacementFact } from '../facts.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';

/**
 * Folds an observed member. Returns false for a repeat, and for a Job that is no member. The mark of the grant proves
 * that a Job is a member: nobody can guess the mark. Only one Job can have a name, so a newer Job has replaced the
 * known member, even if no watch has shown the change.
 */
export function foldMember(
  draft: PlacementState,
  { member, mark }: Extract<PlacementFact, { type: 'member.observed' }>,
): boolean {
  const grant = findGrant(draft, member);
  if (grant !== undefined) {
    const { isUnseen } = grant;
    delete grant.isUnseen;
    return renewMember(grant, member) || isUnseen === true;
  }
  const open = draft.grants.find(({ cluster, name }) => cluster === member.cluster && name === member.name);
  if (open === undefined || mark !== open.mark || member.namespace !== draft.job?.namespace) return false;
  if (open.member !== null && !isNewer(member, open.member)) return false;
  foldFound(open, member);
  delete open.isUnseen;
  return true;
}

/** Works like `foldMember`, for a deletion: a member may be deleted before the outcome of its creation is known. */
export function foldMemberGone(
  draft: PlacementState,
  { cluster, uid, name, resourceVersion, epoch = 0 }: Extract<PlacementFact, { type: 'member.deleted' }>,
): boolean {
  const grant = findGrant(draft, { cluster, uid });
  if (grant === undefined) {
    const open = unresolvedGrant(draft, { cluster, name });
    if (open === undefined || open.requests === 0 || open.seenGone?.uid === uid) return false;
    // The pods of the Job that was deleted earlier may also still run.
    if (open.seenGone !== undefined && open.seenGone.isOver !== true) noteReplaced(open, [open.seenGone.uid]);
    open.seenGone = { uid, resourceVersion, epoch };
    if (epoch > lastEpoch(open)) {
      open.askedIn = epoch;
      foldRestored(open);
    }
    return true;
  }
  if (grant.member === null || (grant.gone === true && grant.missingAt === undefined)) return false;
  if (!isNewer({ resourceVersion, epoch }, grant.member)) return false;
  foldMissing(grant);
  delete grant.missingAt;
  if (epoch > (grant.member.epoch ?? 0)) foldRestored(grant);
  return true;
}

/** Records that the member is gone, so an earlier list of its pods proves nothing. */
function foldMissing(grant: PlacementGrant): void {
  if (grant.gone !== true) delete grant.pods;
  grant.gone = true;
}

/** Records that an answer of this instant shows that the member is gone. */
export function foldAnsweredGone(grant: PlacementGrant, at: number): void {
  if (grant.gone !== true) grant.missingAt = at;
  foldMissing(grant);
}

/**
 * Records a restore of the cluster: the pods that ran in it may still run without an object, so an earlier list
 * proves nothing about them.
 */
function foldRestored(grant: PlacementGrant): void {
  grant.restoredAt = null;
  delete grant.pods;
  if (grant.guard?.gone === true) grant.guard = { ...grant.guard, isUnproven: true };
}

/**
 * Folds an observation that the Job with the name of the member has the mark of its grant. `at` is the instant of an
 * answer. An answer that shows a member that was known to be gone may come from a restored copy, and pods may run
 * that no list shows (J-16.19).
 */
export function foldFound(grant: PlacementGrant, member: MemberFacts, at?: number): void {
  const before = grant.member?.uid ?? member.uid;
  if (at !== undefined && grant.isLookedForGone === true && member.uid === grant.member?.uid)
    grant.thereAt = at;
  foldCreated(grant, member);
  if (grant.member?.uid !== before && grant.ended === undefined) grant.isAgain = true;
}

/**
 * Records this Job as the member, unless a newer Job has its name, because an answer may be older than a fact from a
 * watch.
 */
export function foldCreated(grant: PlacementGrant, member: MemberFacts): void {
  if (grant.member?.uid === member.uid) return void renewMember(grant, member);
  if (grant.member !== null && !isNewer(member, grant.member)) return noteReplaced(grant, [member.uid]);
  const { seenGone } = grant;
  foldReplaced(grant, member);
  delete grant.seenGone;
  delete grant.refused;
  delete grant.isStale;
  delete grant.gone;
  delete grant.missingAt;
  delete grant.thereAt;
  delete grant.deleted;
  grant.member = member;
  grant.isUnseen = true;
  // A deletion that a list shows has the version of the list, so the deletion of another Job shows nothing about this
  // Job.
  if (seenGone?.uid === member.uid && isNewer(seenGone, member)) foldMissing(grant);
}

/** The highest number of replaced Jobs that are remembered; each was created with the mark of the grant. */
const REPLACED_KEPT = 10;

/**
 * Records a Job that another Job with the same name has replaced: its pods may still run, even if no object names
 * these pods any more.
 */
function foldReplaced(grant: PlacementGrant, { uid, epoch = 0 }: MemberFacts): void {
  const { member, seenGone } = grant;
  noteReplaced(grant, [
    ...(member === null ? [] : [member.uid]),
    ...(seenGone === undefined || seenGone.uid === uid || seenGone.isOver === true ? [] : [seenGone.uid]),
  ]);
  // The counters of the new member begin at zero.
  if (member !== null) grant.earlier = combineCounters(grant.earlier ?? {}, memberCounters(member));
  // The last list of pods is about another Job.
  delete grant.pods;
  // If no member is known, a request without an answer may have created a member that the restored copy lacks.
  if (epoch > lastEpoch(grant)) foldRestored(grant);
}

/** The latest known epoch of the cluster, from the member, or from answers while the member was not known. */
export function lastEpoch({ member, askedIn = 0 }: PlacementGrant): number {
  return Math.max(member?.epoch ?? 0, askedIn);
}

/** Adds Jobs to the Jobs that the member has replaced. */
function noteReplaced(grant: PlacementGrant, uids: readonly string[]): void {
  const { replaced = [] } = grant;
  const before = uids.filter((each) => !replaced.includes(each));
  if (before.length > 0) grant.replaced = [...replaced, ...before].slice(-REPLACED_KEPT);
}

/** The counters in the status of a member. */
function memberCounters({ status }: MemberFacts): Counters {
  const { succeeded, failed, completedIndexes, failedIndexes } = status;
  return {
    ...(succeeded !== undefined && { succeeded }),
    ...(failed !== undefined && { failed }),
    ...(completedIndexes !== undefined && { completedIndexes }),
    ...(failedIndexes !== undefined && { failedIndexes }),
  };
}

/** Folds a new version of the known member; returns false for a repeat. */
export function renewMember(grant: PlacementGrant, member: MemberFacts): boolean {
  if (grant.member === null || !isNewer(member, grant.member)) return false;
  const before = isAcknowledged(grant);
  if ((member.epoch ?? 0) > (grant.member.epoch ?? 0)) {
    // An older copy of the cluster has the member again.
    delete grant.gone;
    delete grant.missingAt;
    foldRestored(grant);
  }
  if (member.deleting !== true) delete grant.deleted;
  grant.member = member;
  // A list from before the member stopped, or was open again, proves nothing.
  const isOpenAgain = grant.ended !== undefined && isOpen(grant);
  if (isOpenAgain || (!before && isAcknowledged(grant))) delete grant.pods;
  return true;
}

/**
 * Folds the statuses in the streams of the members of ended grants: a status that the controller of a member has
 * written counts even if no watch has shown it (J-16.7). Returns false when nothing is new. A version of an epoch
 * other than the known epoch waits for the list of its cluster.
 */
export function foldSeen(
  { grants }: Pick<PlacementState, 'grants'>,
  seen: readonly SeenMember[] = [],
): boolean {
  const renewed = seen.filter(({ grant: number, ...shown }) => {
    const grant = grants.find((each) => each.number === number);
    if (grant?.ended === undefined || grant.member?.uid !== shown.uid) return false;
    if ((grant.member.epoch ?? 0) !== (shown.epoch ?? 0)) return false;
    const { deleting: _before, ...known } = grant.member;
    return renewMember(grant, { ...known, ...shown });
  });
  return renewed.length > 0;
}

/** The state with the statuses in the streams of members; the same state when nothing is new. */
export function withSeen(state: PlacementState, seen: readonly SeenMember[] = []): PlacementState {
  const grants = state.grants.map((grant) => ({ ...grant }));
  return foldSeen({ grants }, seen) ? { ...state, grants } : state;
}

/** The grant with this name whose member is not known, or is gone. */
function unresolvedGrant(
  { grants }: PlacementState,
  { cluster, name }: Pick<MemberFacts, 'cluster' | 'name'>,
): PlacementGrant | undefined {
  return grants.find(
    (grant) =>
      (grant.member === null || grant.gone === true) && grant.cluster === cluster && grant.name === name,
  );
}

/** The grant of the member with this UID. */
function findGrant(
  { grants }: PlacementState,
  { cluster, uid }: Pick<MemberFacts, 'cluster' | 'uid'>,
): PlacementGrant | undefined {
  return grants.find(({ member }) => member?.uid === uid && member.cluster === cluster);
}

/** True when an answer about the known member is older than the known version, or comes from a restored copy. */
export function isOlder(answered: MemberFacts | null, known: MemberFacts | null): boolean {
  return answered !== null && answered.uid === known?.uid && isNewer(known, answered);
}

type Version = Pick<MemberFacts, 'resourceVersion' | 'epoch'>;

/**
 * True when a version is newer; a version of a later epoch of the cluster is newer than every version of an earlier
 * epoch.
 */
export function isNewer(a: Version, b: Version): boolean {
  const epochs = (a.epoch ?? 0) - (b.epoch ?? 0);
  return epochs > 0 || (epochs === 0 && compareVersions(a.resourceVersion, b.resourceVersion) > 0);
}
