import type { CronCommand } from './cron-job/commands.ts';
import type { Command } from './job/commands.ts';
import type { PlacementCommand } from './placement/commands.ts';

/** The maximum number of pods of such a command, because a repetition should be cheap. */
const MOST_PODS = 20;

/**
 * True when a task may run again after it has sent such a command. After `DeletePods`, a repeated decision would see
 * the pods terminating and count them as failed (J-4.19). After the commands for Jobs, a repeated decision may find
 * that another start is due, and would start it beside an unknown Job (J-9.36). After the commands about a grant, a
 * repeated decision may choose another cluster (J-16.10).
 */
const IS_SAFE: Readonly<Record<(Command | CronCommand | PlacementCommand)['kind'], boolean>> = {
  CreatePods: true,
  DeletePods: false,
  ReleasePods: true,
  AdoptPods: true,
  DisownPods: true,
  WriteStatus: true,
  EmitEvents: true,
  SetSuspend: true,
  RefuseRequest: true,
  LookUpJob: true,
  LookUpPods: true,
  DeleteJob: true,
  LookUpOrphans: true,
  EnsureGang: true,
  CreateJob: false,
  DeleteJobs: false,
  ReplaceJobs: false,
  LookUpCronJob: true,
  LookUpJobs: true,
  AwaitWatch: false,
  AddFinalizer: true,
  RemoveFinalizer: true,
  CreateMember: false,
  RenewGuard: false,
  ReleaseGuard: true,
  ChangeMember: false,
  DeleteMember: true,
  LookUpMember: true,
  EndGrant: false,
  ShareOut: false,
};

/**
 * True when these commands may run in a local activity, which runs before Temporal has stored the workflow task. If
 * the worker dies, the task is repeated later, with newer facts.
 */
export function isSafeToRepeat(commands: readonly (Command | CronCommand | PlacementCommand)[]): boolean {
  const pods = commands.reduce((sum, command) => sum + ('pods' in command ? command.pods.length : 0), 0);
  return pods <= MOST_PODS && commands.every(({ kind }) => IS_SAFE[kind]);
}
