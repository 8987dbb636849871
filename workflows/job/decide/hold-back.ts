import type { Command } from '../commands.ts';
import { isoTime } from '../definitions/instants.ts';
import type { Reason } from '../reason.ts';
import type { Retry } from '../state.ts';
import type { Situation } from './situation.ts';
import { nothing, together, type Verdict, type VerdictOf } from './verdict.ts';

/** The time of the next decision, and the reason why it is not earlier. */
export interface CommandDelay {
  nextDecisionAt: number;
  waiting: Reason;
}

/** A verdict before it is held back after API errors. */
export interface Plan<C extends { kind: string } = Command> extends VerdictOf<C> {
  /** Errors of these kinds of commands hold the plan back; absent when only errors of its own commands do. */
  heldWith?: readonly C['kind'][];
}

/** Errors are in the state. */
type Retrying = Pick<Situation, 'state' | 'now'>;

/**
 * The plan, or its replacement while API errors hold the plan back: no command, unless a replacement is given
 * (J-3.2).
 */
export function orHeld<W extends Plan>(
  at: Retrying,
  plan: W,
  instead: W = { ...plan, commands: [] },
): Omit<W, 'heldWith'> {
  return orWait<Command, W>(plan, instead, (kinds) => waitFor(at, kinds));
}

/** The first of the plans that has commands and is not held back, after the waits of earlier plans. */
export function inTurn(at: Retrying, plans: readonly Plan[]): Verdict {
  let verdict: Verdict = nothing;
  for (const plan of plans) {
    verdict = together(verdict, orHeld(at, plan));
    if (verdict.commands.length > 0) break;
  }
  return verdict;
}

/**
 * The plan, or another with the wait. `findDelay` returns the time until which commands of some kinds are held back;
 * null when they are not.
 */
export function orWait<C extends { kind: string }, W extends Plan<C>>(
  plan: W,
  instead: W,
  findDelay: (kinds: readonly C['kind'][]) => CommandDelay | null,
): Omit<W, 'heldWith'> {
  const wait = findDelay(plan.heldWith ?? plan.commands.map(({ kind }) => kind));
  const { heldWith: _heldWith, ...verdict } = wait === null ? plan : { ...instead, ...wait };
  return verdict;
}

/** The time until which commands of these kinds are held back; null when they are not. */
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
