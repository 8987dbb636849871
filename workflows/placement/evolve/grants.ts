import type { PlacementCommand, PlacementCommandOf } from '../commands.ts';
import { isGift } from '../definitions/grants.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';

/** What a decision says about grants holds from the decision on, whatever comes of its commands. */
export function foldGrants(
  draft: PlacementState,
  command: PlacementCommand,
  { id, now }: { id: string; now: number },
): void {
  if (!('grant' in command)) return;
  const grant = draft.grants.find(({ number }) => number === command.grant);
  if (grant === undefined) {
    if (isGift(command)) draft.grants.push(granted(command, id, now));
    return;
  }
  if (command.kind === 'CreateMember') grant.askedAt = now;
  if (command.kind === 'CreateMember' && command.continues !== undefined) grant.continues = command.continues;
  if (command.kind === 'EndGrant') grant.ended = { at: now, basis: command.basis };
  if (command.kind === 'ChangeMember' && command.stop !== undefined) {
    grant.stopping = command.stop;
    grant.stoppedAt = now;
    // Listed before it was stopped.
    delete grant.pods;
  }
}

function granted(
  command: PlacementCommandOf<'CreateMember' | 'RenewGuard'>,
  mark: string,
  since: number,
): PlacementGrant {
  const { grant, cluster, name } = command;
  return {
    number: grant,
    cluster,
    name,
    since,
    mark,
    askedAt: since,
    member: null,
    ...(command.kind === 'RenewGuard' && {
      guard: { uid: null, isStarted: false, leaseSeconds: command.leaseSeconds, renewedAt: since },
    }),
    ...(command.continues !== undefined && { continues: command.continues }),
  };
}
