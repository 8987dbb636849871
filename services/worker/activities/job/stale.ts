import type { Command, CommandOf } from '../../../../workflows/job/commands.ts';
import {
  commandStaleness,
  type KindWithPreconditions,
  type Preconditions,
} from '../../../../workflows/job/definitions/preconditions.ts';
import { jobFacts } from '../../../../workflows/job/observe/compact.ts';
import type { ApiFailure } from '../../../../workflows/decision/api-failure.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { STALE } from '../../../adapters/kubernetes/events-on-job.ts';
import type { CommandContext } from './command-context.ts';
import { outcomeOfEarlierAttempts } from './create-pods.ts';
import { guardPassedReason } from './guard-passed.ts';
import type { OutcomeOf, StaleOutcome } from './outcome-of.ts';

type ForPods = CommandOf<'CreatePods'> | CommandOf<'DeletePods'>;

/**
 * Compares the preconditions of a command for pods with the live Job, because a command may be sent long after its
 * decision. Returns null when the command still applies. Returns null also when an earlier attempt has carried out a
 * part of the command, because the outcome must then record this part.
 */
export async function staleOutcome(
  context: CommandContext,
  command: ForPods,
): Promise<StaleOutcome | OutcomeOf<ForPods['kind']> | null> {
  const { kind, preconditions } = command;
  if (preconditions === undefined) return null;
  const live = kind === 'CreatePods' ? await context.readJob() : await context.recentJob();
  const why =
    live === null
      ? null
      : (staleReason(context, { kind, preconditions }, live) ??
        (kind === 'CreatePods' ? await guardPassedReason(context, live) : null));
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

/** The failure of a part of a stale command. */
export function staleFailure(message: string): ApiFailure {
  return { status: 409, reason: STALE, message };
}
