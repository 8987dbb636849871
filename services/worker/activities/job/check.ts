import type { Command, CommandOf } from '../../../../workflows/job/commands.ts';
import type { ApiFailure } from '../../../../workflows/decision/api-failure.ts';
import {
  commandStaleness,
  type KindWithPreconditions,
  type Preconditions,
} from '../../../../workflows/job/definitions/preconditions.ts';
import { jobFacts } from '../../../../workflows/job/observe/compact.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { NOT_CLAIMED } from '../../../adapters/kubernetes/events-on-job.ts';
import type { Requesting } from '../../command/requests.ts';
import type { CommandContext } from './command-context.ts';
import { outcomeOfEarlierAttempts } from './create-pods.ts';
import type { AnyOutcome, OutcomeOf, StaleOutcome } from './outcome-of.ts';

/** Finds the reason why no pod of a live Job may start at present; null when pods may start. */
export type FindStartObstacle = (context: Requesting, live: Job) => Promise<string | null>;

/** The outcome of a command that is not sent, because it does not apply any more or the Job is not ours. */
export async function checkCommand(
  context: CommandContext,
  command: Command,
  findStartObstacle: FindStartObstacle,
): Promise<AnyOutcome | null> {
  const isForPods = command.kind === 'CreatePods' || command.kind === 'DeletePods';
  const stale = isForPods ? await staleOutcome(context, command, findStartObstacle) : null;
  return stale ?? unclaimedOutcome(context, command);
}

type ForPods = CommandOf<'CreatePods'> | CommandOf<'DeletePods'>;

/**
 * Compares the preconditions of a command for pods with the live Job, because a command may be sent long after its
 * decision. Returns null when the command still applies. Returns null also when an earlier attempt has carried out a
 * part of the command, because the outcome must then record this part.
 */
async function staleOutcome(
  context: CommandContext,
  command: ForPods,
  findStartObstacle: FindStartObstacle,
): Promise<StaleOutcome | OutcomeOf<ForPods['kind']> | null> {
  const { kind, preconditions } = command;
  if (preconditions === undefined) return null;
  const live = kind === 'CreatePods' ? await context.readJob() : await context.recentJob();
  const why =
    live === null
      ? null
      : (staleReason(context, { kind, preconditions }, live) ??
        (kind === 'CreatePods' ? await findStartObstacle(context, live) : null));
  if (live === null || why === null) return null;
  if (command.kind === 'CreatePods') {
    const created = await outcomeOfEarlierAttempts(context, live, command);
    if (created !== null) return created;
  } else if (context.parts.before.length > 0) {
    context.isLate = () => true;
    return null;
  }
  return toStaleOutcome(kind, why, live);
}

/** The reason why a command does not apply to the live Job; null when the command applies. */
export function staleReason(
  { now }: CommandContext,
  { kind, preconditions }: { kind: KindWithPreconditions; preconditions: Preconditions },
  live: Job,
): string | null {
  return commandStaleness(kind, preconditions, jobFacts(live), now());
}

export function toStaleOutcome(of: Command['kind'], why: string, live: Job): StaleOutcome {
  return { kind: 'stale', commandKind: of, why, job: jobFacts(live) };
}

/**
 * The outcome of a command that only the controller of the Job may send, if the Job has another controller; null when
 * the Job is ours or does not exist. The Job is read once, unless it was read for the decision.
 */
async function unclaimedOutcome(context: CommandContext, command: Command): Promise<AnyOutcome | null> {
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
