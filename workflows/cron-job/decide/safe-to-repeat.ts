import type { CronCommand } from '../commands.ts';

const SAFE: readonly CronCommand['kind'][] = ['WriteStatus', 'EmitEvents', 'LookUpCronJob', 'LookUpJobs'];

/**
 * Whether these commands may run in a local activity, that is, before Temporal has stored the workflow task. If the worker
 * dies, the task is repeated, later and with newer facts. What starts or deletes a Job is excluded: the repeated task may
 * find another start due, and would start it beside the Job of which it does not know (J-9.36).
 */
export function isSafeToRepeat(commands: readonly CronCommand[]): boolean {
  return commands.every(({ kind }) => SAFE.includes(kind));
}
