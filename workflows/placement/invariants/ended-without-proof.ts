import type { EndReason, PlacementCommand } from '../commands.ts';
import { hasFinished, isAcknowledged } from '../definitions/grants.ts';
import { lastResumption } from '../definitions/creation.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/**
 * A grant ends as stopped, gone or ended only on proof about its marked Job: the marked Job has this state, a later
 * list shows none of its pods, and no other Job with its mark may run (J-16.7, J-16.10, J-16.19).
 */
export function endedWithoutProof(
  { grants }: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (command.kind !== 'EndGrant') return [];
    const grant = grants.find(({ number }) => number === command.grant);
    const lack = grant === undefined ? 'there is no such grant' : missingProof(grant, command.reason);
    return lack === null
      ? []
      : [
          `grant ${command.grant} in the cluster ${command.cluster} would end as ${command.reason}, and ${lack}`,
        ];
  });
  return toFindings('ended-without-proof', messages);
}

/**
 * The missing part of the proof for this reason, as text; null when the proof is complete. Other rules check the
 * other reasons for the end of a grant.
 */
function missingProof(grant: PlacementGrant, reason: EndReason): string | null {
  switch (reason) {
    case 'stopped':
      if (!isAcknowledged(grant)) return 'its controller has not reported that its member is suspended';
      return missingList(grant) ?? otherPodsMayRun(grant);
    case 'gone':
      if (grant.gone !== true) return 'its member is not gone';
      return missingList(grant) ?? otherPodsMayRun(grant);
    case 'ended':
      return hasFinished(grant) ? otherPodsMayRun(grant) : 'its member has no end';
    case 'refused':
    case 'lost':
    case 'guarded':
    case 'time':
      return null;
  }
}

/** The missing list that shows no pod of the member, as text; null when such a list is known. */
function missingList(grant: PlacementGrant): string | null {
  const { pods, stoppedAt = -Infinity, missingAt = -Infinity, thereAt = -Infinity } = grant;
  const { restoredAt = -Infinity } = grant;
  const since =
    restoredAt === null
      ? Infinity
      : Math.max(stoppedAt, missingAt, thereAt, restoredAt, lastResumption(grant));
  const isProof = pods?.open === 0 && pods.isOld !== true && pods.at >= since;
  return isProof ? null : 'no list since shows that none of its pods is left';
}

/** The missing proof that no other Job with the mark of the grant has pods, as text; null when no such Job exists. */
function otherPodsMayRun({ replaced = [], seenGone }: PlacementGrant): string | null {
  const mayRun = replaced.length > 0 || (seenGone !== undefined && seenGone.isOver !== true);
  return mayRun ? 'pods of another Job with its mark may run' : null;
}
