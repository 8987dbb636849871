import { compareVersions } from '../../job/definitions/resource-version.ts';
import { isAcknowledged, isOpen } from '../definitions/grants.ts';
import type { MemberFacts, PlacementFact } from '../facts.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';

/**
 * False for a repeat, and for a Job that no recorded outcome says we created: users with the right to create Jobs can write our
 * marks on them. Before the outcome is known, the Job with the name of the member is kept until it says which UID it has.
 */
export function foldMember(draft: PlacementState, member: MemberFacts): boolean {
  const grant = grantOf(draft, member);
  if (grant !== undefined) return renew(grant, member);
  const open = unknownOf(draft, member);
  if (open === undefined || open.other === member.uid) return false;
  if (member.namespace !== draft.job?.namespace) return false;
  if (open.seen?.uid === member.uid && !isNewer(member, open.seen)) return false;
  open.seen = member;
  return true;
}

/** As `foldMember`: a member may be deleted before the outcome of its creation is known. */
export function foldMemberGone(
  draft: PlacementState,
  { cluster, uid, name, resourceVersion, epoch = 0 }: Extract<PlacementFact, { type: 'member.deleted' }>,
): boolean {
  const grant = grantOf(draft, { cluster, uid });
  if (grant === undefined) {
    const open = unknownOf(draft, { cluster, name });
    if (open === undefined || open.seenGone?.uid === uid) return false;
    open.seenGone = { uid, resourceVersion, epoch };
    if (open.seen?.uid === uid && open.member !== null) delete open.seen;
    return true;
  }
  if (grant.member === null || grant.gone === true) return false;
  if (!isNewer({ resourceVersion, epoch }, grant.member)) return false;
  foldMissing(grant);
  return true;
}

/** The member is gone: what was listed of its pods before says nothing. */
export function foldMissing(grant: PlacementGrant): void {
  grant.gone = true;
  delete grant.pods;
}

/** An outcome says that this Job is the member. */
export function foldCreated(grant: PlacementGrant, member: MemberFacts): void {
  const { seen, seenGone } = grant;
  delete grant.seen;
  delete grant.seenGone;
  delete grant.refused;
  delete grant.isStale;
  delete grant.isDoubtful;
  delete grant.gone;
  delete grant.deleted;
  grant.member = seen?.uid === member.uid && isNewer(seen, member) ? seen : member;
  if (seenGone?.uid === member.uid && isNewer(seenGone, grant.member)) foldMissing(grant);
}

/** False for a repeat. */
export function renew(grant: PlacementGrant, member: MemberFacts): boolean {
  if (grant.member === null || !isNewer(member, grant.member)) return false;
  const before = isAcknowledged(grant);
  // A cluster that was restored from an older copy has it again.
  if ((member.epoch ?? 0) > (grant.member.epoch ?? 0)) delete grant.gone;
  if (member.deleting !== true) delete grant.deleted;
  grant.member = member;
  // What was listed before it stopped, or was open again, says nothing.
  const isOpenAgain = grant.ended !== undefined && isOpen(grant);
  if (isOpenAgain || (!before && isAcknowledged(grant))) delete grant.pods;
  return true;
}

/** The grant of which it is not known whether the Job of this name is the member, and the one whose member is gone. */
function unknownOf(
  { grants }: PlacementState,
  { cluster, name }: Pick<MemberFacts, 'cluster' | 'name'>,
): PlacementGrant | undefined {
  return grants.find(
    (grant) =>
      (grant.member === null || grant.gone === true) && grant.cluster === cluster && grant.name === name,
  );
}

function grantOf(
  { grants }: PlacementState,
  { cluster, uid }: Pick<MemberFacts, 'cluster' | 'uid'>,
): PlacementGrant | undefined {
  return grants.find(({ member }) => member?.uid === uid && member.cluster === cluster);
}

type Version = Pick<MemberFacts, 'resourceVersion' | 'epoch'>;

/** A version of a later epoch of its cluster is newer than all of an earlier one. */
function isNewer(a: Version, b: Version): boolean {
  const epochs = (a.epoch ?? 0) - (b.epoch ?? 0);
  return epochs > 0 || (epochs === 0 && compareVersions(a.resourceVersion, b.resourceVersion) > 0);
}
