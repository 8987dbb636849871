import type { Command } from '../commands.ts';
import type { Reason } from '../reason.ts';

/** What a sync did with pods, by the values of upstream's metric (J-11.1). */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

/** What `decide` returns. */
export interface Verdict {
  /** Sent in this order; after one that fails the rest is skipped. */
  commands: Command[];
  /** When to decide again although nothing has happened, in milliseconds since the epoch; null for never. */
  lookAgainAt: number | null;
  /** Why nothing more is done now. */
  waiting: Reason | null;
  /** For the metrics, not recorded; absent when the decision is not a sync: it ended before (J-11.2). */
  action?: SyncAction;
}

export const nothing: Verdict = { commands: [], lookAgainAt: null, waiting: null };

/** Only these commands; everything else is decided after their outcomes. */
export function only(...commands: Command[]): Verdict {
  return { commands, lookAgainAt: null, waiting: null };
}

/** The earlier of two instants; null means never. */
export function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
