import type { Command } from '../commands.ts';
import { isoTime } from '../definitions/instants.ts';
import type { Reason } from '../reason.ts';
import type { Retry } from '../state.ts';
import type { Situation } from './situation.ts';
import { nothing, combineVerdicts, type Verdict, type VerdictOf } from './verdict.ts';

/** The time of the next decision, and the reason why the decision is not made earlier. */
export interface CommandDelay {
  nextDecisionAt: number;
  waiting: Reason;
}

/** A verdict to which delays after API errors are not yet applied. */
export interface Plan<C extends { kind: string } = Command> extends VerdictOf<C> {
  /**
   * Errors of these kinds of commands hold the plan back; the field is absent when only errors of the plan's own
   * commands hold it back.
   */
  heldWith?: readonly C['kind'][];
}

/** The state has the errors. */
type Retrying = Pick<Situation, 'state' | 'now'>;

/**
 * Returns the plan, or its replacement while API errors hold the plan back: no command, unless a replacement is given
 * (J-3.2).
 */
export function unlessHeldBack<W extends Plan>(
  at: Retrying,
  plan: W,
  instead: W = { ...plan, commands: [] },
): Omit<W, 'heldWith'> {
  return unlessDelayed<Command, W>(plan, instead, (kinds) => waitFor(at, kinds));
}

/** The first plan that has commands and is not held back, preceded by the waits of earlier plans. */
export function firstPossiblePlan(at: Retrying, plans: readonly Plan[]): Verdict {
  let verdict: Verdict = nothing;
  for (const plan of plans) {
    verdict = combineVerdicts(verdict, unlessHeldBack(at, plan));
    if (verdict.commands.length > 0) break;
  }
  return verdict;
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

/** The time until which commands of these kinds are held back; null without a delay. */
function waitFor({ state, now }: Retrying, kinds: readonly Command['kind'][]): CommandDelay | null {
  const [last] = kinds
    .map((kind) => ({ kind, ...(state.retries[kind] ?? NO_ERRORS) }))
    .filter(({ until }) => until > now)
    .toSorted((a, b) => b.until - a.until);
  if (last === undefined) return null;
  const { kind, errors, until, message } = last;
  const count = errors === 1 ? '1 error' : `${errors} errors`;
  const text = `no ${kind} before ${isoTime(until)}: ${count} of the API, the last: ${message}`;
  return { nextDecisionAt: until, waiting: { rule: 'J-3.2', message: text } };
}

/** Holds nothing back. */
export const NO_ERRORS: Retry = { errors: 0, until: 0, message: '' };
