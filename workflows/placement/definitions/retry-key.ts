import type { PlacementCommand } from '../commands.ts';

/** Errors are counted by kind of command, and for commands to a member by its cluster (J-16.20). */
export function retryKey(command: PlacementCommand): string {
  return 'cluster' in command ? `${command.kind}@${command.cluster}` : command.kind;
}

/** Whether a key is of commands to a member in this cluster. The name of a cluster may have the sign too. */
export function isKeyOfCluster(key: string, cluster: string): boolean {
  const at = key.indexOf('@');
  return at >= 0 && key.slice(at + 1) === cluster;
}
