import type { PlacementCommand } from '../commands.ts';
import type { Grant, PlacementState } from '../state.ts';

/** What a decision says about grants holds from the decision on, whatever comes of its commands. */
export function foldGrants(
  draft: PlacementState,
  command: PlacementCommand,
  { id, now }: { id: string; now: number },
): void {
  if (!('grant' in command)) return;
  const grant = draft.grants.find(({ number }) => number === command.grant);
  if (grant === undefined) {
    if (command.kind === 'CreateMember') draft.grants.push(granted(command, id, now));
    return;
  }
  if (command.kind === 'EndGrant') grant.ended = { at: now, basis: command.basis };
  if (command.kind === 'ChangeMember' && command.stop !== undefined) {
    grant.stopping = command.stop;
    // Listed before it was stopped.
    delete grant.pods;
  }
}

function granted(
  { grant, cluster, name, continues }: Extract<PlacementCommand, { kind: 'CreateMember' }>,
  mark: string,
  since: number,
): Grant {
  return {
    number: grant,
    cluster,
    name,
    since,
    mark,
    member: null,
    ...(continues !== undefined && { continues }),
  };
}
