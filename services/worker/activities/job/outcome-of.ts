import type { Outcome } from '../../../../workflows/job/outcomes.ts';
import type { Command } from '../../../../workflows/job/commands.ts';

type WithoutInstant<A> = A extends Outcome ? Omit<A, 'at'> : never;

/** The outcome of any command, without its instant. */
export type AnyOutcome = WithoutInstant<Outcome>;

/** The result of carrying out a command of a kind; the instant is added where the outcome is recorded. */
export type OutcomeOf<K extends Command['kind']> = WithoutInstant<Extract<Outcome, { kind: K }>>;

/** The outcome of a command that no longer applies. */
export type StaleOutcome = WithoutInstant<Extract<Outcome, { kind: 'stale' }>>;

/** Whether a command failed, so that the rest of the decision, which assumed its success, is skipped. */
export function hasFailed(answer: AnyOutcome): boolean {
  if (answer.kind === 'stale') return true;
  if ('jobGone' in answer || ('result' in answer && answer.result !== 'written' && answer.result !== 'done'))
    return true;
  if (answer.kind === 'LookUpPods' || !('pods' in answer)) return false;
  return answer.pods.some(
    (pod) => pod.result === 'failed' || pod.result === 'taken' || pod.result === 'skipped',
  );
}

/** Whether the outcome leaves out pods because the command took too long. */
export function isIncomplete(command: Command, answer: AnyOutcome): boolean {
  return 'pods' in command && 'pods' in answer && answer.pods.length < command.pods.length;
}
