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
    if (command.kind === 'CreateMember' || command.kind === 'RenewGuard')
      draft.grants.push(granted(command, id, now));
    return;
  }
  if (command.kind === 'CreateMember' && command.continues !== undefined) grant.continues = command.continues;
  if (command.kind === 'EndGrant') grant.ended = { at: now, basis: command.basis };
  if (command.kind === 'ChangeMember' && command.stop !== undefined) {
    grant.stopping = command.stop;
    // Listed before it was stopped.
    delete grant.pods;
  }
}

function granted(
  command: Extract<PlacementCommand, { kind: 'CreateMember' | 'RenewGuard' }>,
  mark: string,
  since: number,
): Grant {
  const { kind, grant, cluster, name } = command;
  const isGuarded = kind === 'RenewGuard';
  return {
    number: grant,
    cluster,
    name,
    since,
    mark,
    member: null,
    ...(isGuarded && { guard: { uid: null, isStarted: false, renewedAt: since } }),
    ...(kind === 'CreateMember' && command.continues !== undefined && { continues: command.continues }),
  };
}
