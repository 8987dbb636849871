import type { Reason } from './reason.ts';
import type { VerdictOf } from './verdict.ts';

/** A wait after an API error: the time of the next decision, and the reason why it is not made earlier. */
export interface CommandDelay {
  nextDecisionAt: number;
  waiting: Reason;
}

/**
 * A verdict that may still be replaced by a wait: after an API error, commands of the same kind are held back for a
 * while (retry.ts).
 */
export interface Plan<C extends { kind: string }> extends VerdictOf<C> {
  /**
   * The plan is held back while commands of one of these kinds are held back. When the field is absent, these are the
   * kinds of the plan's own commands.
   */
  heldWith?: readonly C['kind'][];
}

/**
 * The verdict of a plan or, when the plan is held back, the verdict of the plan `instead` with the wait. `findDelay`
 * returns the wait for commands of some kinds; null when commands of none of these kinds are held back.
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
