import type { Condition } from '../../kubernetes/objects.ts';
import type { EndType } from '../definitions/conditions.ts';
import type { Command, PodRef } from '../commands.ts';
import type { Reason } from '../reason.ts';
import type { SyncAction } from './verdict.ts';

/** What a sync does with pods, and the pod counts afterwards if all of it succeeds. */
export interface SyncPlan {
  action: SyncAction;
  commands: Command[];
  active: number;
  ready: number;
  terminating: number;
  /** Pods that are not terminal and are counted as failed because the Job ends (J-4.5). */
  failing: PodRef[];
  /** Pods that are neither counted nor terminal and are released because the Job ends (J-4.5). */
  letGo: PodRef[];
  ending: Ending | null;
  /** Pods were managed, so the condition `Suspended` is updated too (J-3.58.3). */
  isManaged: boolean;
  lookAgainAt: number | null;
  waiting: Reason | null;
}

/** The counts that a plan starts from. */
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
    letGo: [],
    ending: null,
    isManaged: false,
    lookAgainAt: null,
    waiting: null,
  };
}

/** The decision that a Job ends (J-3.52). */
export interface Ending {
  type: EndType;
  reason: string;
  message: string;
  /** The status already has the interim condition. */
  isStored: boolean;
  why: Reason;
}

/** The fields of the next status that policies change. */
export interface StatusDraft {
  conditions: Condition[];
  startTime: string | undefined;
  completionTime: string | undefined;
}
