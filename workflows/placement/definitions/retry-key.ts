import type { PlacementCommand } from '../commands.ts';

/**
 * The key under which the errors of a command are counted: its kind and, for a command to a member, its cluster; for
 * look-ups, also the question of the look-up (J-16.20).
 */
export function retryKey(command: PlacementCommand): string {
  return 'cluster' in command
    ? keyAt(`${command.kind}${questionText(command)}`, command.cluster)
    : command.kind;
}

/** The key of the commands of one kind to members in this cluster. */
export function keyAt(kind: string, cluster: string): string {
  return `${kind}@${cluster}`;
}

/** The question of a look-up as the end of its key. */
function questionText(command: PlacementCommand): string {
  if (command.kind !== 'LookUpMember') return '';
  if (command.gone !== undefined) return ' of a deleted Job';
  return command.givenUp === undefined ? '' : ' of given-up indexes';
}

/**
 * True when a key is a key of commands to a member in this cluster. The name of a cluster may also contain the
 * separator.
 */
export function isKeyOfCluster(key: string, cluster: string): boolean {
  const at = key.indexOf('@');
  return at >= 0 && key.slice(at + 1) === cluster;
}
