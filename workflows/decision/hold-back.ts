import type { Reason } from './reason.ts';
import type { Retry } from './retry.ts';
import type { VerdictOf } from './verdict.ts';

/** The time of the next decision, and the reason why the decision is not made earlier. */
export interface CommandDelay {
  nextDecisionAt: number;
  waiting: Reason;
}

/** A verdict to which delays after API errors are not yet applied. */
export interface Plan<C extends { kind: string }> extends VerdictOf<C> {
  /**
   * Errors of these kinds of commands hold the plan back; the field is absent when only errors of the plan's own
   * commands hold it back.
   */
  heldWith?: readonly C['kind'][];
}

/**
 * The plan, or another plan with the wait. `findDelay` returns the time until which commands of some kinds are held
 * back; null without a delay.
 */
export function unlessDelayed<C extends { kind: string }, W extends Plan<C>>(
  plan: W,
  instead: W,
  findDelay: (kinds: readonly C['kind'][]) => CommandDelay | null,
): Omit<W, 'heldWith'> {
  const wait = findDelay(plan.heldWith ?? plan.commands.map(({ kind }) => kind));
  const { heldWith: _heldWith, ...verdict } = wait === null ? plan : { ...instead, ...wait };
  return verdict;
}

/** Holds nothing back. */
export const NO_ERRORS: Retry = { errors: 0, until: 0, message: '' };
