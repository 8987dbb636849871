import type { CronCommand } from './cron-job/commands.ts';
import type { Command } from './job/commands.ts';

/** Maximum number of pods: a repetition should cost little. */
const MOST_PODS = 20;

/**
 * A repeated task would find the pods terminating and count them as failed (J-4.19). It may find another start due, and
 * would start it beside the Job of which it does not know (J-9.36).
 */
const UNSAFE = new Set<(Command | CronCommand)['kind']>([
  'DeletePods',
  'CreateJob',
  'DeleteJobs',
  'ReplaceJobs',
  'AwaitWatch',
]);

/**
 * Whether these commands may run in a local activity, that is, before Temporal has stored the workflow task. If the worker
 * dies, the task is repeated, later and with newer facts.
 */
export function isSafeToRepeat(commands: readonly (Command | CronCommand)[]): boolean {
  const pods = commands.reduce((sum, command) => sum + ('pods' in command ? command.pods.length : 0), 0);
  return pods <= MOST_PODS && !commands.some(({ kind }) => UNSAFE.has(kind));
}
