import { isActive, isTerminating } from '../job/definitions/pod-phase.ts';
import type { JobState } from '../job/state.ts';

/** How many pods of a Job are active and how many are terminating (J-0.4). */
export interface PodCounts {
  active: number;
  terminating: number;
}

export function podCountsOf({ pods }: JobState): PodCounts {
  const all = Object.values(pods);
  return { active: all.filter(isActive).length, terminating: all.filter(isTerminating).length };
}

/** `2 active`, or `1 active, 1 terminating`. */
export function podCountWords({ active, terminating }: PodCounts): string {
  return terminating === 0 ? `${active} active` : `${active} active, ${terminating} terminating`;
}
