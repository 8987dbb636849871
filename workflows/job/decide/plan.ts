import type { Ending } from '../../batch/ending.ts';
import type { Condition } from '../../kubernetes/objects.ts';
import type { EmitEvents, PodRef } from '../commands.ts';
import { unlessHeldBack, type JobPlan } from './hold-back.ts';
import type { Situation } from './situation.ts';
import type { SyncAction } from './verdict.ts';

/** The pod commands of a sync, and the pod counts after their success. */
export interface SyncPlan extends JobPlan {
  action: SyncAction;
  active: number;
  ready: number;
  terminating: number;
  /** Pods that are not terminal and are counted as failed because the Job ends (J-4.5). */
  failing: PodRef[];
  /** Pods that are neither counted nor terminal and are released because the Job ends (J-4.5). */
  released: PodRef[];
  ending: Ending | null;
  /** True when pods were managed, so that the condition `Suspended` is also updated (J-3.58.3). */
  isManaged: boolean;
}

/** The counts from which a plan starts. */
interface Counts {
  active: readonly unknown[];
  ready: number;
  terminating: readonly unknown[];
}

/** A plan that changes nothing. */
export function unchangedPlan({ active, ready, terminating }: Counts): SyncPlan {
  return {
    action: 'tracking',
    commands: [],
    active: active.length,
    ready,
    terminating: terminating.length,
    failing: [],
    released: [],
    ending: null,
    isManaged: false,
    nextDecisionAt: null,
    waiting: null,
  };
}

/**
 * Returns the plan or, while its commands are held back, a plan that only counts finished pods, because the other
 * commands are decided again later.
 */
export function planUnlessHeldBack(tally: Situation & Counts, plan: SyncPlan): SyncPlan {
  const { isManaged } = plan;
  const unchanged: SyncPlan = { ...unchangedPlan(tally), isManaged, action: 'reconciling' };
  return unlessHeldBack(tally, plan, unchanged);
}

/** The changes of the status by policies, and the Events that report these changes. */
export interface StatusChange {
  conditions: Condition[];
  startTime: string | undefined;
  completionTime: string | undefined;
  events: EmitEvents['events'];
}
