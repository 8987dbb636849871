import type { PlacementCommand } from '../placement/commands.ts';
import { isNeverCreated } from '../placement/definitions/creation.ts';
import type { PlacementState } from '../placement/state.ts';
import { findings, type BrokenInvariant } from './broken.ts';

/** No grant ends as refused while a request that had no answer may have created its member, or may still arrive (J-16.6). */
export function refusedAfterAnUnansweredRequest(
  { grants }: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (command.kind !== 'EndGrant' || command.reason !== 'refused') return [];
    const grant = grants.find(({ number }) => number === command.grant);
    if (grant !== undefined && isNeverCreated(grant)) return [];
    return [
      `grant ${command.grant} would end as refused, and its member may exist in the cluster ${command.cluster}`,
    ];
  });
  return findings('refused-after-an-unanswered-request', messages);
}
