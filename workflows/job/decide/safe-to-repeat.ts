import type { Command } from '../commands.ts';

/** Maximum number of pods: a repetition should cost little. */
const MOST_PODS = 20;

/**
 * Whether these commands may run in a local activity, that is, before Temporal has stored the workflow task. If the worker
 * dies, the task is repeated with newer facts. Deletions are excluded: the repeated task would find the pods terminating
 * and count them as failed (J-4.19).
 */
export function isSafeToRepeat(commands: readonly Command[]): boolean {
  const pods = commands.reduce((sum, command) => sum + ('pods' in command ? command.pods.length : 0), 0);
  return pods <= MOST_PODS && !commands.some(({ kind }) => kind === 'DeletePods');
}
