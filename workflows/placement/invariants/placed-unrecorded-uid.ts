import type { PlacementCommand } from '../commands.ts';
import type { PlacementState } from '../state.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/** A command with the UID of a member or a guard names the object that the stream has recorded for the grant. */
export function placedUnrecordedUid(
  { grants }: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (!('grant' in command) || !('uid' in command) || command.uid === undefined) return [];
    const grant = grants.find(({ number }) => number === command.grant);
    const isGuard = command.kind === 'RenewGuard' || command.kind === 'ReleaseGuard';
    const recorded = isGuard ? grant?.guard?.uid : grant?.member?.uid;
    if (recorded === command.uid) return [];
    return [
      `${command.kind} names the object ${command.uid} of the grant ${command.grant}, which is not recorded`,
    ];
  });
  return toFindings('unrecorded-uid', messages);
}
