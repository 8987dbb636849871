import type { Command } from '../commands.ts';

/** Maximum number of pods of a cheap decision. */
const CHEAP_PODS = 20;

/**
 * Whether these commands may run in a local activity, that is, before Temporal has stored the workflow task. If the worker
 * dies, the task is repeated with newer facts. Deletions are excluded: the repeated task would find the pods terminating
 * and count them as failed (J-4.19).
 */
export function isCheap(commands: readonly Command[]): boolean {
  const pods = commands.reduce((sum, command) => sum + ('pods' in command ? command.pods.length : 0), 0);
  return pods <= CHEAP_PODS && !commands.some(({ kind }) => kind === 'DeletePods');
}
