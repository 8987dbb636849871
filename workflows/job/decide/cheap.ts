import type { Command } from '../commands.ts';

/** A decision on more pods than this is not cheap. */
const CHEAP_PODS = 20;

/**
 * Whether these commands may be sent within the step that decided them. A step that dies is made again with what was seen
 * since, so nothing is cheap whose effects would then look like somebody else's doing: whoever finds pods being deleted
 * counts them as failed (J-4.19).
 */
export function isCheap(commands: readonly Command[]): boolean {
  const pods = commands.reduce((sum, command) => sum + ('pods' in command ? command.pods.length : 0), 0);
  return pods <= CHEAP_PODS && !commands.some(({ kind }) => kind === 'DeletePods');
}
