import type { BrokenInvariant } from '../../invariants/broken.ts';
import type { Command } from '../commands.ts';
import type { Reason } from '../reason.ts';

/** What is decided, with commands of one kind of stream. */
export interface VerdictOf<C> {
  /** Sent in this order; after one that fails the rest is skipped. */
  commands: C[];
  /** When to decide again although nothing has happened, in milliseconds since 1970; null for never. */
  nextDecisionAt: number | null;
  /** Why nothing more is done now. */
  waiting: Reason | null;
  /** The invariants that it breaks, so that its creations are withheld (J-18.1); absent when it breaks none. */
  broken?: BrokenInvariant[];
}

/** What a sync did with pods, by the values of upstream's metric (J-11.1). */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

/** What `decide` returns. */
export interface Verdict extends VerdictOf<Command> {
  /** For the metrics, not recorded; absent when the decision is not a sync: it ended before (J-11.2). */
  action?: SyncAction;
}

export const nothing: VerdictOf<never> = { commands: [], nextDecisionAt: null, waiting: null };

/** Only these commands; everything else is decided after their outcomes. */
export function only<C>(...commands: C[]): VerdictOf<C> {
  return { commands, nextDecisionAt: null, waiting: null };
}

/** A verdict, and what follows it: the commands in order, the earlier instant, the first reason to wait. */
export function together(first: Verdict, next: Verdict): Verdict {
  return {
    ...first,
    commands: [...first.commands, ...next.commands],
    nextDecisionAt: earliest(first.nextDecisionAt, next.nextDecisionAt),
    waiting: first.waiting ?? next.waiting,
  };
}

/** The earliest of some instants; null means never. */
export function earliest(...instants: (number | null)[]): number | null {
  const some = instants.filter((instant) => instant !== null);
  return some.length === 0 ? null : Math.min(...some);
}
