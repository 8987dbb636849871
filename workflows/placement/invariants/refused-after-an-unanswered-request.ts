import type { PlacementCommand } from '../commands.ts';
import { isNeverCreated } from '../definitions/creation.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/**
 * No grant ends as refused while a request without an answer may have created its member, or may still arrive
 * (J-16.6). No grant ends as refused right after a restore of its cluster, which may have lost a member that still
 * runs (J-16.19).
 */
export function refusedAfterAnUnansweredRequest(
  { grants }: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (command.kind !== 'EndGrant' || command.reason !== 'refused') return [];
    const grant = grants.find(({ number }) => number === command.grant);
    const lack = missingProof(grant, command.cluster);
    return lack === null ? [] : [`grant ${command.grant} would end as refused, and ${lack}`];
  });
  return toFindings('refused-after-an-unanswered-request', messages);
}

/** The missing part of the proof that the cluster has no member, as text; null when the proof is complete. */
function missingProof(grant: PlacementGrant | undefined, cluster: string): string | null {
  if (grant === undefined || !isNeverCreated(grant)) return `its member may exist in the cluster ${cluster}`;
  if (grant.requests === 0 || grant.restoredAt !== null) return null;
  return `the cluster ${cluster}, which was restored, may have lost its member`;
}
