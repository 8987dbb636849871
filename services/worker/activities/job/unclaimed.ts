import type { Command } from '../../../../workflows/job/commands.ts';
import type { ApiFailure } from '../../../../workflows/decision/api-failure.ts';
import { NOT_CLAIMED } from '../../../adapters/kubernetes/events-on-job.ts';
import type { CommandContext } from './command-context.ts';
import type { AnyOutcome } from './outcome-of.ts';

/**
 * The outcome of a command that only the controller of the Job may send, if the Job has another controller; null when
 * the Job is ours or does not exist. The Job is read once, unless it was read for the decision.
 */
export async function unclaimedOutcome(
  context: CommandContext,
  command: Command,
): Promise<AnyOutcome | null> {
  if (!isOfController(command) || context.claimed.has(context.job)) return null;
  const live = await context.recentJob();
  if (live === null || context.claimed.check(context.job, live)) return null;
  const manager = live.spec.managedBy ?? "the cluster's own Job controller";
  return failedOutcome(command, { status: 409, reason: NOT_CLAIMED, message: `${manager} controls the Job` });
}

/**
 * The commands that are also sent for Jobs of other controllers. Expired Jobs of any controller are deleted
 * (docs/decisions/0014), and the other commands change no object.
 */
const OF_ANY = [
  'DeleteJob',
  'EmitEvents',
  'RefuseRequest',
  'LookUpJob',
  'LookUpPods',
  'LookUpOrphans',
] as const;

type OfController = Exclude<Command, { kind: (typeof OF_ANY)[number] }>;

function isOfController(command: Command): command is OfController {
  return !OF_ANY.some((kind) => kind === command.kind);
}

function failedOutcome(command: OfController, error: ApiFailure): AnyOutcome {
  const failed = { result: 'failed', error } as const;
  switch (command.kind) {
    case 'CreatePods':
      return {
        kind: 'CreatePods',
        generation: 0,
        pods: command.pods.map(({ ordinal, name }) => ({ ordinal, name, ...failed })),
      };
    case 'DeletePods':
      return {
        kind: 'DeletePods',
        untrack: command.untrack,
        pods: command.pods.map((pod) => ({ ...pod, ...failed })),
      };
    case 'ReleasePods':
    case 'AdoptPods':
    case 'DisownPods':
      return { kind: command.kind, pods: command.pods.map((pod) => ({ ...pod, ...failed })) };
    case 'WriteStatus':
    case 'EnsureGang':
      return { kind: command.kind, ...failed };
    case 'SetSuspend':
      return {
        kind: 'SetSuspend',
        ...(command.request !== undefined && { request: command.request }),
        ...failed,
      };
  }
}
