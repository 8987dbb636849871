import type { Outcome } from '../../../../workflows/job/outcomes.ts';
import type { Command } from '../../../../workflows/job/commands.ts';

type WithoutInstant<A> = A extends Outcome ? Omit<A, 'at'> : never;

/** The outcome of any command, without its instant. */
export type AnyOutcome = WithoutInstant<Outcome>;

/** The result of carrying out a command of a kind; the instant is added where the outcome is recorded. */
export type OutcomeOf<K extends Command['kind']> = WithoutInstant<Extract<Outcome, { kind: K }>>;

/** The outcome of a command whose preconditions do not hold. */
export type StaleOutcome = WithoutInstant<Extract<Outcome, { kind: 'stale' }>>;

/** True when a command failed, so that the later commands of the decision, which assumed its success, are skipped. */
export function hasFailed(outcome: AnyOutcome): boolean {
  if (outcome.kind === 'stale') return true;
  if (
    'jobGone' in outcome ||
    ('result' in outcome && outcome.result !== 'written' && outcome.result !== 'done')
  )
    return true;
  if (outcome.kind === 'LookUpPods' || !('pods' in outcome)) return false;
  return outcome.pods.some(
    (pod) => pod.result === 'failed' || pod.result === 'taken' || pod.result === 'skipped',
  );
}

/** True when the outcome leaves out pods because the command took too long. */
export function isIncomplete(command: Command, outcome: AnyOutcome): boolean {
  return 'pods' in command && 'pods' in outcome && outcome.pods.length < command.pods.length;
}
