import type { Command } from '../commands.ts';
import { isoTime } from '../definitions/instants.ts';
import type { Reason } from '../reason.ts';
import type { JobState, Retry } from '../state.ts';
import { nothing, together, type Verdict, type VerdictOf } from './verdict.ts';

/** When to decide again, and why not earlier. */
export interface Wait {
  lookAgainAt: number;
  waiting: Reason;
}

/** A verdict that is not asked yet whether API errors hold it back. */
export interface Wish<C extends { kind: string } = Command> extends VerdictOf<C> {
  /** Errors of these kinds of commands hold it back; absent when only those of its own commands do. */
  heldWith?: readonly C['kind'][];
}

/** What the hold-back of a Job depends on. */
interface Retrying {
  state: Pick<JobState, 'retries'>;
  now: number;
}

/** The wish, or what is done instead while API errors hold it back: nothing, unless something is given (J-3.2). */
export function orHeld<W extends Wish>(
  at: Retrying,
  wish: W,
  instead: W = { ...wish, commands: [] },
): Omit<W, 'heldWith'> {
  return orWait<Command, W>(wish, instead, (kinds) => waitFor(at, kinds));
}

/** The first of the wishes that has commands and is not held back, after the waits of those before it. */
export function inTurn(at: Retrying, wishes: readonly Wish[]): Verdict {
  let verdict: Verdict = nothing;
  for (const wish of wishes) {
    verdict = together(verdict, orHeld(at, wish));
    if (verdict.commands.length > 0) break;
  }
  return verdict;
}

/** The wish, or another with the wait. `waitOf`: until when commands of some kinds are held back; null when they are not. */
export function orWait<C extends { kind: string }, W extends Wish<C>>(
  wish: W,
  instead: W,
  waitOf: (kinds: readonly C['kind'][]) => Wait | null,
): Omit<W, 'heldWith'> {
  const wait = waitOf(wish.heldWith ?? wish.commands.map(({ kind }) => kind));
  const { heldWith: _heldWith, ...verdict } = wait === null ? wish : { ...instead, ...wait };
  return verdict;
}

/** Until when commands of these kinds are held back; null when they are not. */
function waitFor({ state, now }: Retrying, kinds: readonly Command['kind'][]): Wait | null {
  const [last] = kinds
    .flatMap((kind) => withKind(kind, state.retries[kind]))
    .filter(({ until }) => until > now)
    .toSorted((a, b) => b.until - a.until);
  if (last === undefined) return null;
  const { kind, errors, until, message } = last;
  const count = errors === 1 ? '1 error' : `${errors} errors`;
  const words = `no ${kind} before ${isoTime(until)}: ${count} of the API, the last: ${message}`;
  return { lookAgainAt: until, waiting: { rule: 'J-3.2', words } };
}

function withKind(kind: Command['kind'], retry: Retry | undefined): (Retry & { kind: string })[] {
  return retry === undefined ? [] : [{ kind, ...retry }];
}
