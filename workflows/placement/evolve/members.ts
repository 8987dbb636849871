import { compareVersions } from '../../job/definitions/resource-version.ts';
import { isAcknowledged, isOpen } from '../definitions/grants.ts';
import { together } from '../definitions/successes.ts';
import type { Counters } from '../commands.ts';
import type { SeenMember } from '../definitions/seen.ts';
import type { MemberFacts, PlacementFact } from '../facts.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';

/**
 * False for a repeat, and for a Job that is no member. The mark of the grant proves that it is one: nobody can guess it. A name is that of one
 * Job, so a newer one has taken the place of the known one, also when no watch has shown how that went.
 */
export function foldMember(
  draft: PlacementState,
  { member, mark }: Extract<PlacementFact, { type: 'member.observed' }>,
): boolean {
  const grant = findGrant(draft, member);
  if (grant !== undefined) {
    const { isUnseen } = grant;
    delete grant.isUnseen;
    return renew(grant, member) || isUnseen === true;
  }
  const open = draft.grants.find(({ cluster, name }) => cluster === member.cluster && name === member.name);
  if (open === undefined || mark !== open.mark || member.namespace !== draft.job?.namespace) return false;
  if (open.member !== null && !isNewer(member, open.member)) return false;
  foldFound(open, member);
  delete open.isUnseen;
  return true;
}

/** As `foldMember`: a member may be deleted before the outcome of its creation is known. */
export function foldMemberGone(
  draft: PlacementState,
  { cluster, uid, name, resourceVersion, epoch = 0 }: Extract<PlacementFact, { type: 'member.deleted' }>,
): boolean {
  const grant = findGrant(draft, { cluster, uid });
  if (grant === undefined) {
    const open = unresolvedGrant(draft, { cluster, name });
    if (open === undefined || open.requests === 0 || open.seenGone?.uid === uid) return false;
    // Its pods may run on as well.
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

/** The member is gone: what was listed of its pods before says nothing. */
function foldMissing(grant: PlacementGrant): void {
  if (grant.gone !== true) delete grant.pods;
  grant.gone = true;
}

/** An answer of this instant says that the member is gone. */
export function foldAnsweredGone(grant: PlacementGrant, at: number): void {
  if (grant.gone !== true) grant.missingAt = at;
  foldMissing(grant);
}

/** What ran in the cluster may run on without an object: what was listed before says nothing of it. */
function foldRestored(grant: PlacementGrant): void {
  grant.restoredAt = null;
  delete grant.pods;
  if (grant.guard?.gone === true) grant.guard = { ...grant.guard, isUnproven: true };
}

/**
 * The Job with the name of the member has the mark of its grant. `at`: of an answer. One that shows a member that was known to be gone may
 * come from a restored copy, and pods may run that no list shows (J-16.19).
 */
export function foldFound(grant: PlacementGrant, member: MemberFacts, at?: number): void {
  const before = grant.member?.uid ?? member.uid;
  if (at !== undefined && grant.isLookedForGone === true && member.uid === grant.member?.uid)
    grant.thereAt = at;
  foldCreated(grant, member);
  if (grant.member?.uid !== before && grant.ended === undefined) grant.isAgain = true;
}

/** This Job is the member, unless a newer one has its name: an answer may be older than what a watch has shown since. */
export function foldCreated(grant: PlacementGrant, member: MemberFacts): void {
  if (grant.member?.uid === member.uid) return void renew(grant, member);
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
  // A deletion that a list shows has the version of the list, so of another Job it says nothing about this one.
  if (seenGone?.uid === member.uid && isNewer(seenGone, member)) foldMissing(grant);
}

/** The most of them that are remembered: each was created with the mark of the grant. */
const REPLACED_KEPT = 10;

/** The pods of the Jobs that had the name before may run on, also when no object names them any more. */
function foldReplaced(grant: PlacementGrant, { uid, epoch = 0 }: MemberFacts): void {
  const { member, seenGone } = grant;
  noteReplaced(grant, [
    ...(member === null ? [] : [member.uid]),
    ...(seenGone === undefined || seenGone.uid === uid || seenGone.isOver === true ? [] : [seenGone.uid]),
  ]);
  // The new member counts from the beginning.
  if (member !== null) grant.earlier = together(grant.earlier ?? {}, memberCounters(member));
  // The last list is about another Job.
  delete grant.pods;
  // Without a known one, a request without an answer may have created one that the restored copy lacks.
  if (epoch > lastEpoch(grant)) foldRestored(grant);
}

/** The latest epoch of its cluster that is known from the member, or from answers while it was not known. */
export function lastEpoch({ member, askedIn = 0 }: PlacementGrant): number {
  return Math.max(member?.epoch ?? 0, askedIn);
}

function noteReplaced(grant: PlacementGrant, uids: readonly string[]): void {
  const { replaced = [] } = grant;
  const before = uids.filter((each) => !replaced.includes(each));
  if (before.length > 0) grant.replaced = [...replaced, ...before].slice(-REPLACED_KEPT);
}

function memberCounters({ status }: MemberFacts): Counters {
  const { succeeded, failed, completedIndexes, failedIndexes } = status;
  return {
    ...(succeeded !== undefined && { succeeded }),
    ...(failed !== undefined && { failed }),
    ...(completedIndexes !== undefined && { completedIndexes }),
    ...(failedIndexes !== undefined && { failedIndexes }),
  };
}

/** False for a repeat. */
export function renew(grant: PlacementGrant, member: MemberFacts): boolean {
  if (grant.member === null || !isNewer(member, grant.member)) return false;
  const before = isAcknowledged(grant);
  if ((member.epoch ?? 0) > (grant.member.epoch ?? 0)) {
    // An older copy has it again.
    delete grant.gone;
    delete grant.missingAt;
    foldRestored(grant);
  }
  if (member.deleting !== true) delete grant.deleted;
  grant.member = member;
  // What was listed before it stopped, or was open again, says nothing.
  const isOpenAgain = grant.ended !== undefined && isOpen(grant);
  if (isOpenAgain || (!before && isAcknowledged(grant))) delete grant.pods;
  return true;
}

/**
 * Folds what the streams of the members of ended grants show: a status that the controller of a member has written counts although no
 * watch has shown it (J-16.7). False when nothing is new. A version of another epoch than the known one awaits the list of its cluster.
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
    return renew(grant, { ...known, ...shown });
  });
  return renewed.length > 0;
}

/** The state with what the streams of members show; the same one when nothing is new. */
export function withSeen(state: PlacementState, seen: readonly SeenMember[] = []): PlacementState {
  const grants = state.grants.map((grant) => ({ ...grant }));
  return foldSeen({ grants }, seen) ? { ...state, grants } : state;
}

/** The grant of which it is not known whether the Job of this name is the member, and the one whose member is gone. */
function unresolvedGrant(
  { grants }: PlacementState,
  { cluster, name }: Pick<MemberFacts, 'cluster' | 'name'>,
): PlacementGrant | undefined {
  return grants.find(
    (grant) =>
      (grant.member === null || grant.gone === true) && grant.cluster === cluster && grant.name === name,
  );
}

function findGrant(
  { grants }: PlacementState,
  { cluster, uid }: Pick<MemberFacts, 'cluster' | 'uid'>,
): PlacementGrant | undefined {
  return grants.find(({ member }) => member?.uid === uid && member.cluster === cluster);
}

/** An answer about the known member that was read before what is known of it, or from a restored copy. */
export function isOlder(answered: MemberFacts | null, known: MemberFacts | null): boolean {
  return answered !== null && answered.uid === known?.uid && isNewer(known, answered);
}

type Version = Pick<MemberFacts, 'resourceVersion' | 'epoch'>;

/** A version of a later epoch of its cluster is newer than all of an earlier one. */
export function isNewer(a: Version, b: Version): boolean {
  const epochs = (a.epoch ?? 0) - (b.epoch ?? 0);
  return epochs > 0 || (epochs === 0 && compareVersions(a.resourceVersion, b.resourceVersion) > 0);
}
