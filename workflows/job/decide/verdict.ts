import { type VerdictOf, earliest } from '../../decision/verdict.ts';
import type { Command } from '../commands.ts';

/** The pod action of a sync, as a value of the Kubernetes metric (J-11.1). */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

/** What `decide` returns. */
export interface Verdict extends VerdictOf<Command> {
  /**
   * A value for the metrics, which is not recorded; absent when the decision is not a sync, because the decision
   * ended before the sync (J-11.2).
   */
  action?: SyncAction;
}

/**
 * Combines a verdict with a later verdict: the commands in order, the earlier instant, and the first reason to wait.
 */
export function combineVerdicts(first: Verdict, next: Verdict): Verdict {
  return {
    ...first,
    commands: [...first.commands, ...next.commands],
    nextDecisionAt: earliest(first.nextDecisionAt, next.nextDecisionAt),
    waiting: first.waiting ?? next.waiting,
  };
}
