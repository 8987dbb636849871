import { decidedAt } from '../../decision/retry.ts';
import type { PlacementCommandOf, PlacementCommand } from '../commands.ts';
import type { MemberFacts } from '../facts.ts';
import type { PlacementOutcome } from '../outcomes.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';
import { formatIndexes } from '../../batch/completion-indexes.ts';
import { givenUpBy, containsIndexes, partWithout, type PartGrant } from '../definitions/parts.ts';
import { foldAnsweredGone, foldFound, isNewer, isOlder, lastEpoch } from './members.ts';

type FoundByLookUp = Extract<PlacementOutcome, { kind: 'LookUpMember'; result: 'done' }>;

/** Folds what a look-up found: the member, its pods, and the version of the list. */
export function foldLookUp(
  draft: PlacementState,
  grant: PlacementGrant,
  command: PlacementCommandOf<'LookUpMember'>,
  outcome: FoundByLookUp,
): void {
  const isAboutIt = isAbout(command, grant);
  const { member, pods, givenUp: of, gone, at } = outcome;
  foldListed(grant, command, outcome);
  if (gone !== undefined) {
    if (pods.open === 0) foldOver(grant, gone);
    return;
  }
  if (member !== null) foldFound(grant, member, at);
  else if (isAboutIt) foldAnsweredGone(grant, at);
  else if (command.mark !== undefined) grant.absentAt = decidedAt(draft);
  if (member?.uid !== grant.member?.uid && !isAboutIt) return;
  const isOld = isOlder(member, grant.member);
  if (of !== undefined) {
    // Folds a look-up of only the indexes that the member has given up: another member can have these indexes when no
    // pod of them is left (J-17.4). An older copy of the member may run these indexes again, and a copy without the
    // member lists none of its running pods.
    const isShown = member !== null && !isOld && grant.restoredAt !== null;
    if (pods.open === 0 && isShown && hasGivenUp(grant, of))
      grant.part = partWithout(grant.part, of, decidedAt(draft));
    return;
  }
  grant.pods = {
    ...pods,
    at: decidedAt(draft),
    times: (grant.pods?.times ?? 0) + 1,
    ...(isOld && { isOld }),
  };
}

/**
 * True when the member must still give up these indexes; the same decision, or a later decision, may have given it
 * some of them again.
 */
function hasGivenUp(grant: PlacementGrant, indexes: string): grant is PartGrant {
  const given = grant.part === undefined ? null : givenUpBy(grant as PartGrant);
  return given !== null && containsIndexes(indexes, formatIndexes(given));
}

/**
 * Folds an answer that alone shows that the cluster may have been restored: the epoch of the answer is later, or its
 * version is lower than the version of an earlier answer. The pods that ran in the cluster may still run, and no list
 * shows them (J-16.19).
 */
function foldListed(
  grant: PlacementGrant,
  command: PlacementCommandOf<'LookUpMember'>,
  { epoch = 0, listedAt, at }: Pick<FoundByLookUp, 'epoch' | 'listedAt' | 'at'>,
): void {
  const known = lastEpoch(grant);
  if (epoch < known) return;
  const listed = { resourceVersion: listedAt, epoch };
  const isLater = epoch > known;
  const isBefore = !isLater && knownBefore(grant, command).some((version) => isNewer(version, listed));
  if (isLater) grant.askedIn = epoch;
  if (isLater || isBefore) grant.restoredAt = at;
  // The versions that were known before the older copy answered are higher than the versions with which this copy
  // continues.
  const isOfCopy = isBefore || (!isLater && grant.listed?.isOfCopy === true);
  grant.listed = { ...listed, ...(isOfCopy && { isOfCopy }) };
}

/**
 * The versions that were known when the look-up was decided; a watch may show later versions before the outcome of
 * the look-up is folded.
 */
function knownBefore(
  { listed, seenGone }: PlacementGrant,
  { from, gone }: PlacementCommandOf<'LookUpMember'>,
): Pick<MemberFacts, 'resourceVersion' | 'epoch'>[] {
  if (listed?.isOfCopy === true) return [listed];
  const deleted = seenGone?.uid === gone ? seenGone : undefined;
  return [listed, from, deleted].filter((version) => version !== undefined);
}

/** Records that no pod is left of a Job that had the name of the member before. */
function foldOver(grant: PlacementGrant, uid: string): void {
  const { seenGone, replaced = [] } = grant;
  if (seenGone?.uid === uid) grant.seenGone = { ...seenGone, isOver: true };
  const left = replaced.filter((each) => each !== uid);
  delete grant.replaced;
  if (left.length > 0) grant.replaced = left;
}

/**
 * True when the command is about the known member. Between a restore of its cluster and the next decision, an answer
 * of the cluster may be undone: a member that was gone may exist again.
 */
export function isAbout(command: PlacementCommand, { member, restoredAt }: PlacementGrant): boolean {
  return 'uid' in command && command.uid === member?.uid && restoredAt !== null;
}
