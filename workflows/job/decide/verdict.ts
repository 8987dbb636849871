import type { Command } from '../commands.ts';
import type { Reason } from '../reason.ts';

/** The answer of `decide`. */
export interface Verdict {
  /** In the order in which they are sent; after one that fails the rest is not sent. */
  commands: Command[];
  /** Milliseconds since the epoch at which time alone changes the answer; null when it never does. */
  lookAgainAt: number | null;
  /** What is being waited for. */
  waiting: Reason | null;
}

export const nothing: Verdict = { commands: [], lookAgainAt: null, waiting: null };

/** Commands to be sent now; what comes after is decided on their outcomes. */
export function only(...commands: Command[]): Verdict {
  return { commands, lookAgainAt: null, waiting: null };
}

/** The earlier of two instants, null being never. */
export function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
