import { NO_ERRORS } from '../../decision/retry.ts';
import { unlessDelayed, type CommandDelay, type Plan } from '../../decision/hold-back.ts';
import type { Command } from '../commands.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { Situation } from './situation.ts';
import { nothing } from '../../decision/verdict.ts';
import { combineVerdicts, type Verdict } from './verdict.ts';

/** The plan of a decision about a Job. */
export type JobPlan = Plan<Command>;

/** The state has the errors. */
type Retrying = Pick<Situation, 'state' | 'now'>;

/**
 * Returns the plan, or its replacement while API errors hold the plan back: no command, unless a replacement is given
 * (J-3.2).
 */
export function unlessHeldBack<W extends JobPlan>(
  at: Retrying,
  plan: W,
  instead: W = { ...plan, commands: [] },
): Omit<W, 'heldWith'> {
  return unlessDelayed<Command, W>(plan, instead, (kinds) => waitFor(at, kinds));
}

/** The first plan that has commands and is not held back, preceded by the waits of earlier plans. */
export function firstPossiblePlan(at: Retrying, plans: readonly JobPlan[]): Verdict {
  let verdict: Verdict = nothing;
  for (const plan of plans) {
    verdict = combineVerdicts(verdict, unlessHeldBack(at, plan));
    if (verdict.commands.length > 0) break;
  }
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
