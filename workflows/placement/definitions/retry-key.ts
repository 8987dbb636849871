import type { PlacementCommand } from '../commands.ts';

/** Errors are counted by kind of command, and for commands to a member by its cluster (J-16.20). */
export function retryKey(command: PlacementCommand): string {
  return 'cluster' in command ? `${command.kind}@${command.cluster}` : command.kind;
}
