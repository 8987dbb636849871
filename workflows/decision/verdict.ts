import type { BrokenInvariant } from './invariants/broken.ts';
import type { Reason } from './reason.ts';

/** The content of a decision, with the commands `C` of one kind. */
export interface VerdictOf<C> {
  /** The commands are sent in this order; after a failed command, the remaining commands are skipped. */
  commands: C[];
  /**
   * The time of the next decision without a new fact, in milliseconds since 1970; null when no such decision is
   * planned.
   */
  nextDecisionAt: number | null;
  /** The reason why the decision makes no further changes. */
  waiting: Reason | null;
  /**
   * The broken invariants, because of which the commands that make work run are withheld (J-18.1), unless a person has
   * approved them (J-18.2). The field is absent when no invariant is broken.
   */
  broken?: BrokenInvariant[];
}

export const nothing: VerdictOf<never> = { commands: [], nextDecisionAt: null, waiting: null };

/** A verdict with only these commands; all other commands are decided after their outcomes. */
export function sendOnly<C>(...commands: C[]): VerdictOf<C> {
  return { commands, nextDecisionAt: null, waiting: null };
}

/** The earliest of some instants; null stands for no instant. */
export function earliest(...instants: (number | null)[]): number | null {
  const some = instants.filter((instant) => instant !== null);
  return some.length === 0 ? null : Math.min(...some);
}
